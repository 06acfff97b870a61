--- Buffers that the server fills: a session, a turn or a record to read (`rollout-read://...`), and packed rollouts
--- (`rollout-*.jsonl.zst`) as their text. Nothing is unpacked to the disk, and none of them can be written.

local M = {}

local PATIENCE_MS = 60000
local START_MS = 20000

--- The path of the file that a buffer is about, readable ones too; nil for others.
--- @param name string
--- @return string|nil
function M.path_of(name)
  local path = name:match('^rollout%-read:///text(/.*)$')
  if path then
    return vim.uri_to_fname('file://' .. path) .. '.zst'
  end
  path = name:match('^rollout%-read:///session(/.*)%.md$')
    or name:match('^rollout%-read:///turn/[^/]+(/.*)%.md$')
    or name:match('^rollout%-read:///record/[^/]+(/.*)%.json$')
  if path then
    return vim.uri_to_fname('file://' .. path)
  end
  return not name:match('^%a[%w+.-]*://') and vim.fn.fnamemodify(name, ':p') or nil
end

--- The address of the readable session of a buffer.
--- @param name string
--- @return string|nil
function M.session_of(name)
  local path = M.path_of(name)
  return path and 'rollout-read:///session' .. vim.uri_from_fname(path):gsub('^file://', '') .. '.md'
end

--- A client that runs: the one of the rollout's folder, else any, else a new one.
local function running(path)
  local rollout = require('rollout_ls')
  local root = rollout.root_of(path)
  local clients = vim.lsp.get_clients({ name = 'rollout_ls' })
  for _, client in ipairs(clients) do
    if client.config.root_dir == root and not client:is_stopped() then
      return client
    end
  end
  local live = vim.tbl_filter(function(client)
    return not client:is_stopped()
  end, clients)
  if live[1] then
    return live[1]
  end
  if not rollout.startable() then
    return
  end
  local config = vim.tbl_extend('force', vim.lsp.config.rollout_ls, { name = 'rollout_ls', root_dir = root })
  local id = vim.lsp.start(config, { attach = false })
  return id and vim.lsp.get_client_by_id(id)
end

local function fill(buffer, lines)
  vim.bo[buffer].readonly = false
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].modified = false
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].readonly = true
end

--- Fills a buffer whose name is an address.
--- @param buffer integer
function M.load(buffer)
  local uri = vim.api.nvim_buf_get_name(buffer)
  vim.bo[buffer].buftype = 'nofile'
  vim.bo[buffer].swapfile = false
  vim.bo[buffer].undolevels = -1
  local path = M.path_of(uri)
  local client = path and running(path)
  if not client then
    fill(buffer, { 'The server of rollout-ls does not run: see :checkhealth rollout_ls' })
    return
  end
  vim.wait(START_MS, function()
    return client.initialized or client:is_stopped()
  end, 10)
  local answer, why = client:request_sync('rollout/readable', { uri = uri }, PATIENCE_MS, buffer)
  if not answer or answer.err then
    local reason = answer and answer.err.message or why or 'no answer'
    fill(buffer, { 'It cannot be read: ' .. reason })
    return
  end
  local lines = vim.split(answer.result.text, '\n', { plain = true })
  if lines[#lines] == '' then
    lines[#lines] = nil
  end
  fill(buffer, lines)
  vim.bo[buffer].filetype = answer.result.language
  local is_rollout = answer.result.language == 'jsonl'
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    vim.wo[window][0].wrap = not is_rollout
    vim.wo[window][0].linebreak = not is_rollout
  end
  if is_rollout then
    require('rollout_ls').soften(buffer)
  end
  vim.lsp.buf_attach_client(buffer, client.id)
end

--- Gives the buffer of a packed rollout the name of its text, and fills it.
--- @param buffer integer
--- @param file string
function M.load_packed(buffer, file)
  local path = vim.fn.fnamemodify(file, ':p')
  local uri = 'rollout-read:///text' .. vim.uri_from_fname(path):gsub('^file://', ''):gsub('%.zst$', '')
  local known = vim.fn.bufnr('^' .. vim.fn.escape(uri, '[]*?{},\\') .. '$')
  if known ~= -1 and known ~= buffer then
    vim.schedule(function()
      vim.api.nvim_set_current_buf(known)
      pcall(vim.api.nvim_buf_delete, buffer, { force = true })
    end)
    return
  end
  vim.api.nvim_buf_set_name(buffer, uri)
  local old = vim.fn.bufnr('^' .. vim.fn.escape(path, '[]*?{},\\') .. '$')
  if old ~= -1 and old ~= buffer then
    pcall(vim.api.nvim_buf_delete, old, { force = true })
  end
  M.load(buffer)
end

--- Shows an address in the current window.
--- @param uri string
--- @param line? integer the row (from 0) of the rollout whose telling is looked for
function M.show(uri, line)
  local buffer = vim.fn.bufadd(uri)
  vim.bo[buffer].buflisted = true
  vim.cmd("normal! m'")
  if vim.api.nvim_buf_is_loaded(buffer) then
    vim.api.nvim_set_current_buf(buffer)
    M.load(buffer) -- it may be another by now
  else
    vim.api.nvim_set_current_buf(buffer)
  end
  local client = line and require('rollout_ls').client(buffer)
  local answer = client and client:request_sync('rollout/readableRow', { uri = uri, line = line }, 2000, buffer)
  if answer and type(answer.result) == 'number' then
    vim.api.nvim_win_set_cursor(0, { math.min(answer.result + 1, vim.api.nvim_buf_line_count(buffer)), 0 })
    vim.cmd.normal({ 'zt', bang = true })
  end
end

return M
