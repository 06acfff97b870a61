--- `:RolloutOutline`: the session turn by turn in a window beside the rollout, which follows its cursor. <CR> goes to
--- the line, `r` asks anew, `q` closes. Shows what the server answers to textDocument/documentSymbol and adds nothing.

local M = {}

local REST_MS = 800
local LONG_ID = 12
local group = vim.api.nvim_create_augroup('rollout_ls.outline', {})
local namespace = vim.api.nvim_create_namespace('rollout_ls.outline')

--- A piece of a row's text, and the highlight group that it is shown in.
--- @alias rollout_ls.Piece { [1]: string, [2]: string|nil }

--- @class rollout_ls.OutlineRow
--- @field pieces rollout_ls.Piece[]
--- @field range table of the protocol, in the client's encoding
--- @field first integer the first row of the rollout that it is about, from 0
--- @field last integer the last one

--- The one open outline: its buffer and window, the rollout's buffer, the rows.
local state = {}

local function plain(text)
  return (text or ''):gsub('%c', ' ')
end

local CALL, TURN_OR_SESSION = 12, { [2] = true, [3] = true }
local FADED = { [14] = true, [21] = true } -- context, reasoning
local GROUPS = { [24] = 'Special', [19] = 'WarningMsg' } -- compaction and notice, unknown

--- The group of how a call came out.
local function group_of(outcome)
  if outcome:find('failed', 1, true) or outcome:find('bad arguments', 1, true) then
    return 'DiagnosticError'
  end
  return outcome:find('no result', 1, true) and 'DiagnosticWarn' or nil
end

--- A call: what ran, how it came out, what it did. A long id stands last: in a narrow window it would hide the rest.
local function pieces_of_call(name, detail)
  local tool, id, outcome = name:match('^(%S+) ([%w_-]+)(.*)$')
  local is_id = id and #id >= LONG_ID and id:find('%d') and (outcome == '' or outcome:find('^ %->') or outcome:find('^ %('))
  if not is_id then
    local words, rest = name:match('^(.-)( %->.*)$')
    tool, id, outcome = words or name, '', rest or ''
  end
  return {
    { tool, 'Function' },
    { (outcome:gsub('^ %->', ' →')), group_of(outcome) },
    { detail ~= '' and '  ' .. detail or '', 'Comment' },
    { id ~= '' and '  ' .. id or '', 'Comment' },
  }
end

local function pieces_of(symbol)
  local name, detail = plain(symbol.name), plain(symbol.detail)
  local faded = symbol.deprecated or vim.tbl_contains(symbol.tags or {}, 1) or FADED[symbol.kind]
  if symbol.kind == CALL then
    local pieces = pieces_of_call(name, detail)
    pieces[1][2] = faded and 'Comment' or pieces[1][2]
    return pieces
  end
  local group = faded and 'Comment' or TURN_OR_SESSION[symbol.kind] and 'Title' or GROUPS[symbol.kind]
  return { { name, group }, { detail ~= '' and '  ' .. detail or '', 'Comment' } }
end

local function collect(symbols, depth, rows)
  for _, symbol in ipairs(symbols) do
    local range = symbol.selectionRange or (symbol.location and symbol.location.range)
    local whole = symbol.range or range
    local pieces = pieces_of(symbol)
    table.insert(pieces, 1, { ('  '):rep(depth) })
    rows[#rows + 1] = { first = whole.start.line, last = whole['end'].line, pieces = pieces, range = range }
    collect(symbol.children or {}, depth + 1, rows)
  end
  return rows
end

local function draw()
  local buffer = state.buffer
  local lines = vim.tbl_map(function(row)
    return table.concat(vim.tbl_map(function(piece)
      return piece[1]
    end, row.pieces))
  end, state.rows)
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, #lines > 0 and lines or { 'nothing to show' })
  vim.bo[buffer].modifiable = false
  vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
  for number, row in ipairs(state.rows) do
    local column = 0
    for _, piece in ipairs(row.pieces) do
      local stop = column + #piece[1]
      if piece[2] and stop > column then
        vim.api.nvim_buf_set_extmark(buffer, namespace, number - 1, column, { end_col = stop, hl_group = piece[2] })
      end
      column = stop
    end
  end
end

local function client_of(bufnr)
  return vim.lsp.get_clients({ bufnr = bufnr, name = 'rollout_ls', method = 'textDocument/documentSymbol' })[1]
end

local function is_open()
  return state.window and vim.api.nvim_win_is_valid(state.window)
end

--- The row of the outline that tells of a row of the rollout: the innermost one, else the last one before it.
local function row_at(line)
  local best
  for number, row in ipairs(state.rows) do
    if row.first <= line then
      local before = best and state.rows[best]
      local inside = row.last >= line
      local was_inside = before and before.last >= line
      if not before or (inside and not was_inside) or (inside == was_inside and row.first >= before.first) then
        best = number
      end
    end
  end
  return best
end

--- Puts the cursor of the outline where that of the rollout is.
function M.follow()
  if not is_open() or vim.api.nvim_get_current_win() == state.window then
    return
  end
  if vim.api.nvim_get_current_buf() ~= state.source then
    return
  end
  local number = row_at(vim.api.nvim_win_get_cursor(0)[1] - 1)
  if number and vim.api.nvim_win_get_cursor(state.window)[1] ~= number then
    pcall(vim.api.nvim_win_set_cursor, state.window, { number, 0 })
  end
end

--- Asks the server for the outline of the rollout and shows it.
function M.refresh()
  local client = client_of(state.source)
  if not client then
    vim.notify('rollout: the server is not running for this buffer.', vim.log.levels.WARN)
    return
  end
  local params = { textDocument = vim.lsp.util.make_text_document_params(state.source) }
  client:request('textDocument/documentSymbol', params, function(failure, symbols)
    if failure or not is_open() then
      return
    end
    state.encoding = client.offset_encoding
    state.rows = collect(symbols or {}, 0, {})
    draw()
    M.follow()
  end, state.source)
end

--- Puts the cursor of the rollout's window on the record of the row under the cursor.
function M.jump()
  local row = state.rows[vim.api.nvim_win_get_cursor(state.window)[1]]
  if not row then
    return
  end
  local window = vim.fn.win_findbuf(state.source)[1]
  if window then
    vim.api.nvim_set_current_win(window)
  end
  local location = { uri = vim.uri_from_bufnr(state.source), range = row.range }
  vim.lsp.util.show_document(location, state.encoding, { focus = true, reuse_win = true })
end

local function refresh_soon()
  if state.due then
    return
  end
  state.due = true
  vim.defer_fn(function()
    state.due = nil
    if is_open() and vim.api.nvim_buf_is_loaded(state.source) and client_of(state.source) then
      M.refresh()
    end
  end, REST_MS)
end

--- The windows of the outline's tab, without floating ones.
local function neighbours()
  return vim.tbl_filter(function(window)
    return vim.api.nvim_win_get_config(window).relative == ''
  end, vim.api.nvim_tabpage_list_wins(vim.api.nvim_win_get_tabpage(state.window)))
end

local function is_shown()
  for _, window in ipairs(neighbours()) do
    if vim.api.nvim_win_get_buf(window) == state.source then
      return true
    end
  end
  return false
end

--- `:q` in the only window beside the outline ends Neovim (or the tab), as it would without the outline.
local function before_quit()
  local current = vim.api.nvim_get_current_win()
  if not is_open() or current == state.window or #neighbours() > 2 then
    return
  end
  if not vim.tbl_contains(neighbours(), current) then
    return -- another tab, or a floating window
  end
  state.quitting = true
  vim.schedule(function()
    state.quitting = nil
  end)
  if not vim.bo.modified then
    M.close()
  end
end

--- The outline goes with the last window of its rollout, and is never alone on the screen.
local function after_close(closed, was_source)
  local quitting = state.quitting
  vim.schedule(function()
    if not is_open() or closed == state.window then
      return
    end
    local alone = #neighbours() == 1
    if not alone and (not was_source or is_shown()) then
      return
    end
    local window = state.window
    M.close()
    if alone and quitting and vim.api.nvim_win_is_valid(window) then
      local quit, why = pcall(vim.cmd.quit) -- refuses where something would be lost
      if not quit then
        vim.notify(why:match('E%d+: .*') or why, vim.log.levels.ERROR)
      end
    end
  end)
end

local function watch()
  vim.api.nvim_clear_autocmds({ group = group })
  vim.api.nvim_create_autocmd('QuitPre', { group = group, callback = before_quit })
  vim.api.nvim_create_autocmd('WinClosed', {
    group = group,
    callback = function(event)
      after_close(tonumber(event.match), event.buf == state.source)
    end,
  })
  vim.api.nvim_create_autocmd({ 'BufDelete', 'BufWipeout' }, {
    group = group,
    buffer = state.source,
    callback = function()
      vim.schedule(M.close)
    end,
  })
  vim.api.nvim_create_autocmd({ 'CursorMoved', 'BufEnter' }, { group = group, buffer = state.source, callback = M.follow })
  vim.api.nvim_create_autocmd({ 'TextChanged', 'InsertLeave', 'FileChangedShellPost' }, {
    group = group,
    buffer = state.source,
    callback = refresh_soon,
  })
end

function M.close()
  vim.api.nvim_clear_autocmds({ group = group })
  local window, source = state.window, state.source
  state = {}
  if not window or not vim.api.nvim_win_is_valid(window) or pcall(vim.api.nvim_win_close, window, true) then
    return
  end
  -- the last window cannot be closed: it shows the rollout, or what else there is
  vim.wo[window].winfixwidth = false
  if vim.api.nvim_buf_is_valid(source) and vim.bo[source].buflisted then
    vim.api.nvim_win_set_buf(window, source)
  else
    vim.api.nvim_win_call(window, vim.cmd.bnext)
  end
end

--- Two fifths of the screen, within bounds.
local function width()
  return math.max(36, math.min(72, math.floor(vim.o.columns * 0.4)))
end

--- Opens the outline of the current buffer; the cursor stays where it is.
function M.open()
  local source = vim.api.nvim_get_current_buf()
  if not client_of(source) then
    vim.notify('rollout: no rollout with a running server in this window.', vim.log.levels.WARN)
    return
  end
  local buffer = vim.api.nvim_create_buf(false, true)
  local window = vim.api.nvim_open_win(buffer, false, { split = 'right', width = width() })
  state = { buffer = buffer, window = window, source = source, rows = {} }
  vim.bo[buffer].bufhidden = 'wipe'
  vim.bo[buffer].filetype = 'rolloutoutline'
  vim.bo[buffer].modifiable = false
  for option, value in pairs({ wrap = false, number = false, relativenumber = false, signcolumn = 'no' }) do
    vim.wo[window][0][option] = value
  end
  vim.wo[window][0].cursorline = true
  vim.wo[window][0].winbar = ' <CR>: go there   r: ask anew   q: close'
  pcall(vim.api.nvim_buf_set_name, buffer, 'Outline of ' .. vim.fs.basename(vim.api.nvim_buf_get_name(source)))
  vim.wo[window].winfixwidth = true
  for key, action in pairs({ ['<CR>'] = M.jump, r = M.refresh, q = M.close }) do
    vim.keymap.set('n', key, action, { buffer = buffer, nowait = true })
  end
  watch()
  M.refresh()
end

function M.toggle()
  if is_open() then
    M.close()
  else
    M.open()
  end
end

return M
