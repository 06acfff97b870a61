--- Switches the server on for rollouts, and adds the commands and the `<Plug>` maps. See `:help rollout_ls`.

if vim.g.loaded_rollout_ls then
  return
end
vim.g.loaded_rollout_ls = true

local group = vim.api.nvim_create_augroup('rollout_ls', {})

if vim.fn.has('nvim-0.11') == 0 then
  vim.api.nvim_create_autocmd('BufReadPost', {
    group = group,
    pattern = 'rollout-*.jsonl',
    once = true,
    callback = function()
      vim.notify('rollout: this plugin needs Neovim 0.11 or newer.', vim.log.levels.WARN)
    end,
  })
  return
end

-- A rollout is UTF-8. Left alone, one damaged byte would make Neovim read the whole file as Latin-1; so it is a `?`,
-- and the buffer is read-only.
local encodings
local function restore_encodings()
  if encodings then
    vim.o.fileencodings, encodings = encodings, nil
  end
end

vim.api.nvim_create_autocmd('BufReadPre', {
  group = group,
  pattern = 'rollout-*.jsonl',
  callback = function()
    encodings = encodings or vim.o.fileencodings
    vim.o.fileencodings = 'ucs-bom,utf-8'
    vim.schedule(restore_encodings) -- also where the file cannot be read
  end,
})
vim.api.nvim_create_autocmd('BufReadPost', {
  group = group,
  pattern = 'rollout-*.jsonl',
  callback = restore_encodings,
})

vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile', 'BufWinEnter' }, {
  group = group,
  pattern = 'rollout-*.jsonl',
  callback = function(event)
    require('rollout_ls').soften(event.buf)
    if event.event ~= 'BufWinEnter' and vim.bo[event.buf].filetype == '' then
      vim.bo[event.buf].filetype = 'jsonl'
    end
  end,
})

vim.api.nvim_create_autocmd('BufReadCmd', {
  group = group,
  pattern = 'rollout-read://*',
  callback = function(event)
    require('rollout_ls.read').load(event.buf)
  end,
})

vim.api.nvim_create_autocmd('BufReadCmd', {
  group = group,
  pattern = 'rollout-*.jsonl.zst',
  callback = function(event)
    require('rollout_ls.read').load_packed(event.buf, event.file)
  end,
})

vim.api.nvim_create_autocmd('LspAttach', {
  group = group,
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client and client.name == 'rollout_ls' and require('rollout_ls').is_rollout_buffer(event.file) then
      require('rollout_ls.draw').attach(client, event.buf)
    end
  end,
})

vim.api.nvim_create_user_command('RolloutOutline', function()
  require('rollout_ls.outline').toggle()
end, { desc = 'Open or close the outline of the rollout beside it' })

vim.api.nvim_create_user_command('RolloutRead', function(command)
  require('rollout_ls.actions').read(command.args)
end, {
  nargs = '?',
  complete = function()
    return { 'session', 'turn', 'record' }
  end,
  desc = 'Read the session, or the turn or record under the cursor',
})

local function map(name, action, desc)
  vim.keymap.set('n', '<Plug>(rollout-' .. name .. ')', action, { desc = 'Rollout: ' .. desc })
end

local function act(action, argument)
  return function()
    require('rollout_ls.actions')[action](argument)
  end
end

map('next-turn', act('step', 'next turn'), 'next turn')
map('previous-turn', act('step', 'previous turn'), 'previous turn')
map('next-failed-call', act('step', 'next failed call'), 'next failed call')
map('partner', act('step', 'partner'), 'go to partner')
map('pick-turn', act('pick'), 'pick a turn')
map('read-session', act('read', 'session'), 'read the session')
map('read-turn', act('read', 'turn'), 'read this turn')
map('read-record', act('read', 'record'), 'read this record')
map('copy-thread-id', act('copy', 'threadId'), 'copy the thread id')
map('copy-resume-command', act('copy', 'resume'), 'copy the resume command')
map('outline', '<Cmd>RolloutOutline<CR>', 'outline')

vim.lsp.enable('rollout_ls')
