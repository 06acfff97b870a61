-- A Neovim with nothing but the plugin of this checkout; the server's command comes from the environment.
vim.opt.runtimepath:prepend(vim.env.ROLLOUT_TEST_PLUGIN)
if vim.env.ROLLOUT_TEST_COMMAND then
  vim.g.rollout_ls_cmd = vim.json.decode(vim.env.ROLLOUT_TEST_COMMAND)
end
vim.o.swapfile = false
