--- The config of the server for `vim.lsp.enable('rollout_ls')`: it starts for rollouts only, whatever their file type.

--- Asks for the findings of all buffers of a client anew: the server has more of them than it had when it was asked.
--- Neovim 0.11 does not do this by itself, and so does not say that it could.
local function refresh(_, _, ctx)
  local client = vim.lsp.get_client_by_id(ctx.client_id)
  for buffer in pairs(client and client.attached_buffers or {}) do
    local document = vim.lsp.util.make_text_document_params(buffer)
    client:request('textDocument/diagnostic', { textDocument = document }, nil, buffer)
  end
  return vim.NIL
end

return {
  init_options = { commands = true }, -- lenses may lead somewhere
  commands = {
    ['rollout.goTo'] = function(command, ctx)
      require('rollout_ls.actions').go_to(command.arguments[1], command.arguments[2], ctx)
    end,
  },
  capabilities = { workspace = { diagnostics = { refreshSupport = true } } },
  handlers = { ['workspace/diagnostic/refresh'] = refresh },
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
