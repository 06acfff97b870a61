-- Does in a headless Neovim what a person does, and tells what was seen: findings, jumps, hover, outline, an edit.
-- The plan says which rows hold a call, its result and a healthy record, and how many findings there are.

local person = dofile(vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2)) .. '/person.lua')
local plan, seen, buffer = person.plan, person.seen, person.buffer
local wait, row, go = person.wait, person.row, person.go

local function findings()
  local rows = vim.tbl_map(function(one)
    return { one.lnum, one.code, one.severity, one.source }
  end, vim.diagnostic.get(buffer))
  table.sort(rows, function(one, other)
    return one[1] < other[1] or (one[1] == other[1] and tostring(one[2]) < tostring(other[2]))
  end)
  return rows
end

local function underlined(line)
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buffer, -1, { line, 0 }, { line, -1 }, { details = true })) do
    if (mark[4].hl_group or ''):match('^DiagnosticUnderline') then
      return true
    end
  end
  return false
end

local function jump_from(line)
  go(line)
  vim.lsp.buf.definition()
  wait('a jump from row ' .. line, function()
    return row() ~= line
  end)
  return row()
end

local function run()
  wait('the server', function()
    return #vim.lsp.get_clients({ bufnr = buffer, name = 'rollout_ls' }) == 1
  end)
  local client = vim.lsp.get_clients({ bufnr = buffer })[1]
  if not client then
    return
  end
  wait('findings, the idle ones too', function()
    return #vim.diagnostic.get(buffer) == plan.findings
  end)
  seen.root = client.config.root_dir
  seen.encoding = client.offset_encoding
  seen.sync = client.server_capabilities.textDocumentSync.change
  seen.filetype = vim.bo[buffer].filetype
  seen.wrap = vim.wo.wrap
  seen.findings = findings()
  seen.underlined = underlined(seen.findings[1][1])

  seen.from_call = jump_from(plan.call)
  seen.from_result = jump_from(plan.result)

  go(plan.call)
  vim.lsp.buf.hover()
  wait('the hover window', function()
    return #vim.api.nvim_list_wins() == 2
  end)
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then
      seen.hover = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false), '\n')
      vim.api.nvim_win_close(window, true)
    end
  end

  local params = { textDocument = vim.lsp.util.make_text_document_params(buffer) }
  seen.symbols = person.ask(client, 'textDocument/documentSymbol', params)
  seen.folds = person.ask(client, 'textDocument/foldingRange', params)

  local outline = person.open_outline()
  if outline then
    seen.outline = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(outline), 0, -1, false)
    vim.api.nvim_set_current_win(outline)
    vim.api.nvim_win_set_cursor(outline, { #seen.outline, 0 })
    vim.api.nvim_feedkeys(vim.keycode('<CR>'), 'x', false)
    seen.outline_jump = { vim.api.nvim_get_current_buf() == buffer, row() }
    vim.cmd.RolloutOutline()
    seen.windows = #vim.api.nvim_list_wins()
  end

  -- one character less: the record is broken; undone, it is whole again
  local text = vim.api.nvim_buf_get_lines(buffer, plan.healthy, plan.healthy + 1, false)[1]
  vim.api.nvim_buf_set_text(buffer, plan.healthy, #text - 1, plan.healthy, #text, {})
  wait('a finding of the edit', function()
    return #vim.diagnostic.get(buffer, { lnum = plan.healthy }) > 0
  end)
  seen.broken = findings()
  vim.cmd.undo()
  wait('the finding to go', function()
    return #vim.diagnostic.get(buffer, { lnum = plan.healthy }) == 0
  end)
  wait('the findings of before', function()
    return vim.deep_equal(findings(), seen.findings)
  end)
  seen.mended = findings()

  -- the rollout's window is closed, then its buffer deleted: the outline does not stay by itself
  person.open_outline()
  vim.cmd.close()
  wait('the rollout in the only window', function()
    return #vim.api.nvim_list_wins() == 1 and vim.api.nvim_get_current_buf() == buffer
  end)
  seen.after_close = vim.api.nvim_get_current_buf() == buffer and 'the rollout'
  person.open_outline()
  vim.cmd.bdelete({ buffer, bang = true })
  wait('the outline to go', function()
    return #vim.api.nvim_list_wins() == 1 and vim.bo.filetype ~= 'rolloutoutline'
  end)
  seen.after_delete = vim.bo.filetype ~= 'rolloutoutline' and 'no outline'
end

person.play(run)
