--- `:checkhealth rollout_ls`

local M = {}

local function check_server()
  local command = require('rollout_ls').command()
  if not command then
    vim.health.error('The command `rollout-ls` is nowhere', {
      'Install it: python3 -m pip install PATH/TO/THE/CHECKOUT (Python 3.10 or newer), or run ./try there once',
      'Put it on the PATH, or set vim.g.rollout_ls_cmd to its path',
    })
    return
  end
  if vim.fn.executable(command[1]) ~= 1 then
    vim.health.error('`' .. command[1] .. '` cannot be started (vim.g.rollout_ls_cmd)')
    return
  end
  local version = vim.list_extend({}, command)
  version[#version] = '--version'
  local started, done = pcall(function()
    return vim.system(version, { text = true, timeout = 20000 }):wait()
  end)
  if started and done.code == 0 then
    vim.health.ok(vim.trim(done.stdout) .. ': ' .. table.concat(command, ' '))
  else
    vim.health.error('`' .. table.concat(version, ' ') .. '` failed', started and vim.trim(done.stderr or '') or nil)
  end
end

function M.check()
  vim.health.start('rollout_ls')
  if vim.fn.has('nvim-0.11') == 1 then
    vim.health.ok('Neovim is new enough')
  else
    vim.health.error('Neovim 0.11 or newer is needed')
    return
  end
  check_server()
  local clients = vim.lsp.get_clients({ name = 'rollout_ls' })
  if #clients == 0 then
    vim.health.info('No server runs now: it starts with the first rollout (rollout-*.jsonl) that is opened')
  end
  for _, client in ipairs(clients) do
    local buffers = vim.tbl_count(client.attached_buffers)
    vim.health.ok(('The server runs for %s, %d buffers'):format(client.config.root_dir or '(no folder)', buffers))
    local answer = client:request_sync('rollout/status', vim.NIL, 5000)
    local memory = answer and answer.result and answer.result.memory
    if memory then
      vim.health.info(('It holds %d MB'):format(memory.residentBytes / 1e6))
    end
  end
  for _, what in ipairs({ 'hints', 'lenses', 'folds' }) do
    if vim.g['rollout_ls_' .. what] == false then
      vim.health.info(('vim.g.rollout_ls_%s is false: %s are not drawn'):format(what, what))
    end
  end
end

return M
