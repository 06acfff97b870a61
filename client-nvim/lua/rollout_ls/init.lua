--- What the plugin, the server's config and the commands share: which buffer is a rollout, and how the server starts.
--- Sets nothing up by being required; never writes a rollout.

local M = {}

--- The folder that holds this plugin (client-nvim/ in a checkout).
local here = vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(vim.fs.normalize(debug.getinfo(1, 'S').source:sub(2)))))

local told = false

--- Whether a file of this name is a rollout.
--- @param name string a path, or a name without folders
--- @return boolean
function M.is_rollout(name)
  local base = vim.fs.basename(name)
  return base:match('^rollout%-.*%.jsonl$') ~= nil
end

--- Whether a buffer of this name holds a rollout that the server looks at: a file, or the text of a packed one.
--- @param name string
--- @return boolean
function M.is_rollout_buffer(name)
  return M.is_rollout(name) and (not name:match('^%a[%w+.-]*://') or name:match('^rollout%-read:///text/') ~= nil)
end

--- The client of a buffer.
--- @param bufnr? integer the current one where it is left out
--- @return vim.lsp.Client|nil
function M.client(bufnr)
  return vim.lsp.get_clients({ bufnr = bufnr or vim.api.nvim_get_current_buf(), name = 'rollout_ls' })[1]
end

--- A line for a status line: records and turns of the buffer, and how far it is read. Empty for other buffers.
--- @return string
function M.status()
  return vim.b.rollout_ls_status or ''
end

--- The folder for which one server is started: the agent's home where the file lies in its tree of sessions, else the
--- file's own folder.
--- @param name string
--- @return string
function M.root_of(name)
  local path = vim.fs.normalize(name)
  return path:match('^(.*)/sessions/%d+/%d+/%d+/[^/]+$')
    or path:match('^(.*)/archived_sessions/[^/]+$')
    or vim.fs.dirname(path)
end

--- The command that starts the server: `vim.g.rollout_ls_cmd` (a list, or the path of `rollout-ls`), else `rollout-ls`
--- on the PATH, else the one of the checkout that this plugin lies in.
--- @return string[]|nil command nil where there is none
function M.command()
  local set = vim.g.rollout_ls_cmd
  if type(set) == 'string' and set ~= '' then
    return { vim.fn.expand(set), 'server' }
  end
  if type(set) == 'table' and #set > 0 then
    return set
  end
  local bin = vim.fn.has('win32') == 1 and '/.venv/Scripts/rollout-ls.exe' or '/.venv/bin/rollout-ls'
  for _, name in ipairs({ 'rollout-ls', vim.fs.dirname(here) .. bin }) do
    if vim.fn.executable(name) == 1 then
      return { vim.fn.exepath(name), 'server' }
    end
  end
end

--- The command, checked; tells once what to do where it cannot be started.
--- @return string[]|nil
function M.startable()
  local command = M.command()
  if command and vim.fn.executable(command[1]) == 1 then
    return command
  end
  if not told then
    told = true
    local missing = command and ('`' .. command[1] .. '` (vim.g.rollout_ls_cmd)') or '`rollout-ls`'
    vim.notify(
      'rollout: ' .. missing .. ' cannot be started. Put rollout-ls on the PATH, '
        .. 'or set vim.g.rollout_ls_cmd to its path.',
      vim.log.levels.WARN
    )
  end
end

--- Makes the long lines of a rollout bearable, in its buffer and its window only.
--- @param bufnr integer
function M.soften(bufnr)
  vim.bo[bufnr].synmaxcol = 400
  vim.b[bufnr].matchparen_timeout = 5
  vim.b[bufnr].matchparen_insert_timeout = 5
  for _, window in ipairs(vim.fn.win_findbuf(bufnr)) do
    vim.wo[window][0].wrap = false
    vim.wo[window][0].list = false
    vim.wo[window][0].sidescrolloff = 0
  end
end

return M
