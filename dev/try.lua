-- The editor that ./try opens: nothing of the user's configuration, only the plugin of this checkout, with what it
-- shows switched on. Started with ROLLOUT_LS_REPO and ROLLOUT_LS_COMMAND in the environment.

vim.opt.runtimepath:prepend(vim.env.ROLLOUT_LS_REPO .. '/client-nvim')
vim.g.rollout_ls_cmd = { vim.env.ROLLOUT_LS_COMMAND, 'server' }

vim.o.number = true
vim.o.signcolumn = 'yes'
vim.o.swapfile = false
vim.o.undofile = false
vim.o.mouse = 'a'
vim.o.termguicolors = vim.env.COLORTERM == 'truecolor' or vim.env.COLORTERM == '24bit'
vim.o.statusline = ' %t%=%{v:lua.rollout_counts()}  line %l of %L '

-- a rollout's lines are long, so what stands behind their end is never seen: findings show where the cursor rests
vim.o.updatetime = 300
vim.diagnostic.config({ underline = true, severity_sort = true, virtual_text = false })
vim.api.nvim_create_autocmd('CursorHold', {
  callback = function()
    local window = vim.b.lsp_floating_preview
    if window and vim.api.nvim_win_is_valid(window) then
      return -- what K has opened stays
    end
    vim.diagnostic.open_float({ focus = false, scope = 'line', border = 'rounded', source = true })
  end,
})

function _G.rollout_counts()
  local names, parts = { 'error', 'warning', 'information', 'hint' }, {}
  for severity, number in pairs(vim.diagnostic.count(0)) do
    parts[#parts + 1] = { severity, number .. ' ' .. names[severity] }
  end
  table.sort(parts, function(one, other)
    return one[1] < other[1]
  end)
  return table.concat(
    vim.tbl_map(function(part)
      return part[2]
    end, parts),
    ', '
  )
end

local shown = false

local function show()
  if shown then
    return
  end
  shown = true
  vim.wo[0][0].winbar = ' K: this record decoded   gd: call <-> result   ]d: next finding   '
    .. '<C-w>l: outline   :qa leaves%<' -- a narrow window loses the end of it
  vim.cmd.RolloutOutline()
end

vim.api.nvim_create_autocmd('LspAttach', {
  callback = function(event)
    vim.keymap.set('n', 'gd', vim.lsp.buf.definition, { buffer = event.buf })
    vim.keymap.set('n', 'K', function()
      vim.lsp.buf.hover({ border = 'rounded', max_width = 100 })
    end, { buffer = event.buf })
    vim.schedule(show)
  end,
})

-- the first findings: go to the line of the first one, so that there is something to see at once; to its start, so that
-- the window is not scrolled past the hints
local moved = false
vim.api.nvim_create_autocmd('DiagnosticChanged', {
  callback = function(event)
    if not moved and #event.data.diagnostics > 0 and vim.api.nvim_get_current_buf() == event.buf then
      moved = true
      vim.schedule(function()
        if vim.api.nvim_win_get_cursor(0)[1] == 1 then
          vim.diagnostic.jump({ count = 1, float = false })
          vim.cmd.normal({ '0zz', bang = true })
        end
      end)
    end
  end,
})
