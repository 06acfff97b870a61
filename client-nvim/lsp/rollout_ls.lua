--- The config of the server for `vim.lsp.enable('rollout_ls')`: it starts for rollouts only, whatever their file type.

return {
  cmd = function(dispatchers)
    return vim.lsp.rpc.start(require('rollout_ls').startable(), dispatchers)
  end,
  root_dir = function(bufnr, start)
    local rollout = require('rollout_ls')
    local name = vim.api.nvim_buf_get_name(bufnr)
    if rollout.is_rollout(name) and rollout.startable() then
      start(rollout.root_of(name))
    end
  end,
}
