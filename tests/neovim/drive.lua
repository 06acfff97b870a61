-- Does in a headless Neovim what a person does, and writes what was seen as JSON to $ROLLOUT_TEST_RESULT.
-- The test that started it says in $ROLLOUT_TEST_PLAN which rows (from 0) hold a call, its result and a healthy record.

local PATIENCE_MS = 20000
local plan = vim.json.decode(vim.env.ROLLOUT_TEST_PLAN)
local seen = { errors = {} }
local buffer = vim.api.nvim_get_current_buf()

local function wait(what, condition)
  if not vim.wait(PATIENCE_MS, condition, 20) then
    seen.errors[#seen.errors + 1] = 'waited in vain: ' .. what
  end
end

local function findings()
  local rows = vim.tbl_map(function(one)
    return { one.lnum, one.code, one.severity, one.source }
  end, vim.diagnostic.get(buffer))
  table.sort(rows, function(one, other)
    return one[1] < other[1] or (one[1] == other[1] and tostring(one[2]) < tostring(other[2]))
  end)
  return rows
end

local function row()
  return vim.api.nvim_win_get_cursor(0)[1] - 1
end

local function go(line)
  vim.api.nvim_win_set_cursor(0, { line + 1, 0 })
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
  wait('findings', function()
    return #vim.diagnostic.get(buffer) > 0
  end)
  vim.wait(500, function()
    return false
  end) -- the idle ones
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
  local answer = client:request_sync('textDocument/documentSymbol', params, PATIENCE_MS, buffer)
  seen.symbols = answer and answer.result
  local folds = client:request_sync('textDocument/foldingRange', params, PATIENCE_MS, buffer)
  seen.folds = folds and folds.result

  vim.cmd.RolloutOutline()
  local outline
  wait('the outline', function()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      local shown = vim.api.nvim_win_get_buf(window)
      if vim.bo[shown].filetype == 'rolloutoutline' and vim.api.nvim_buf_line_count(shown) > 1 then
        outline = window
        return true
      end
    end
    return false
  end)
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
  vim.wait(500, function()
    return false
  end)
  seen.mended = findings()
end

local fine, problem = pcall(run)
if not fine then
  seen.errors[#seen.errors + 1] = tostring(problem)
end
seen.messages = vim.api.nvim_exec2('messages', { output = true }).output
local file = assert(io.open(vim.env.ROLLOUT_TEST_RESULT, 'w'))
file:write(vim.json.encode(seen))
file:close()
vim.cmd.qall({ bang = true })
