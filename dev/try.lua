-- The editor that ./try opens: nothing of the user's configuration, only the plugin of this checkout, with what it
-- shows switched on. Started with ROLLOUT_LS_REPO and ROLLOUT_LS_COMMAND in the environment.

local repo = vim.env.ROLLOUT_LS_REPO
vim.opt.runtimepath:prepend(repo .. '/client-nvim')
vim.g.rollout_ls_cmd = { vim.env.ROLLOUT_LS_COMMAND, 'server' }

vim.o.number = true
vim.o.signcolumn = 'yes'
vim.o.swapfile = false
vim.o.undofile = false
vim.o.mouse = 'a'
vim.o.updatetime = 300
vim.o.termguicolors = vim.env.COLORTERM == 'truecolor' or vim.env.COLORTERM == '24bit'
vim.o.winbar = ' K decoded record   gd call <-> result   ]d next finding   <C-w>l outline, <CR> goes there   :qa leaves'
vim.diagnostic.config({
  virtual_text = { spacing = 2 },
  underline = true,
  severity_sort = true,
  float = { border = 'rounded' },
})

vim.api.nvim_create_autocmd('LspAttach', {
  callback = function(event)
    vim.keymap.set('n', 'gd', vim.lsp.buf.definition, { buffer = event.buf })
    vim.keymap.set('n', 'K', function()
      vim.lsp.buf.hover({ border = 'rounded', max_width = 100 })
    end, { buffer = event.buf })
    vim.schedule(function()
      if not vim.g.rollout_outline_shown then
        vim.g.rollout_outline_shown = true
        vim.cmd.RolloutOutline()
      end
    end)
  end,
})
