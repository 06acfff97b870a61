--- Switches the server on for rollouts, and adds `:RolloutOutline`.

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

vim.api.nvim_create_user_command('RolloutOutline', function()
  require('rollout_ls.outline').toggle()
end, { desc = 'Open or close the outline of the rollout beside it' })

vim.lsp.enable('rollout_ls')
