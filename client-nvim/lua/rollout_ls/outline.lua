--- `:RolloutOutline`: the session turn by turn in a window beside the rollout, which follows its cursor. <CR> goes to
--- the line, `r` asks anew, `q` closes. Shows what the server answers to textDocument/documentSymbol and adds nothing.

local M = {}

local WIDTH = 48
local REST_MS = 800
local group = vim.api.nvim_create_augroup('rollout_ls.outline', {})
local namespace = vim.api.nvim_create_namespace('rollout_ls.outline')

--- @class rollout_ls.OutlineRow
--- @field text string
--- @field detail string
--- @field kind integer of the protocol's symbol kinds
--- @field range table of the protocol, in the client's encoding
--- @field first integer the first row of the rollout that it is about, from 0
--- @field last integer the last one
--- @field faded boolean

--- The one open outline: its buffer, the rollout's buffer and window, the client that was asked, the rows.
local state = {}

local function plain(text)
  return (text or ''):gsub('%c', ' ')
end

local function collect(symbols, depth, rows)
  for _, symbol in ipairs(symbols) do
    local range = symbol.selectionRange or (symbol.location and symbol.location.range)
    local whole = symbol.range or range
    rows[#rows + 1] = {
      first = whole.start.line,
      last = whole['end'].line,
      text = ('  '):rep(depth) .. plain(symbol.name),
      detail = plain(symbol.detail),
      kind = symbol.kind,
      range = range,
      faded = symbol.deprecated or vim.tbl_contains(symbol.tags or {}, 1),
    }
    collect(symbol.children or {}, depth + 1, rows)
  end
  return rows
end

local function group_of(row)
  if row.faded or row.kind == 21 or row.kind == 14 then -- reasoning, context
    return 'Comment'
  end
  return ({ [2] = 'Title', [3] = 'Title', [12] = 'Function', [24] = 'Special', [19] = 'WarningMsg' })[row.kind]
end

local function draw()
  local buffer = state.buffer
  local lines = vim.tbl_map(function(row)
    return row.text
  end, state.rows)
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, #lines > 0 and lines or { 'nothing to show' })
  vim.bo[buffer].modifiable = false
  vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
  for number, row in ipairs(state.rows) do
    vim.api.nvim_buf_set_extmark(buffer, namespace, number - 1, 0, {
      end_col = #row.text,
      hl_group = group_of(row),
      virt_text = row.detail ~= '' and { { row.detail, 'Comment' } } or nil,
    })
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

local function watch()
  vim.api.nvim_clear_autocmds({ group = group })
  vim.api.nvim_create_autocmd({ 'CursorMoved', 'BufEnter' }, { group = group, buffer = state.source, callback = M.follow })
  vim.api.nvim_create_autocmd({ 'TextChanged', 'InsertLeave', 'FileChangedShellPost' }, {
    group = group,
    buffer = state.source,
    callback = refresh_soon,
  })
end

function M.close()
  vim.api.nvim_clear_autocmds({ group = group })
  if is_open() then
    vim.api.nvim_win_close(state.window, true)
  end
  state = {}
end

--- Opens the outline of the current buffer; the cursor stays where it is.
function M.open()
  local source = vim.api.nvim_get_current_buf()
  if not client_of(source) then
    vim.notify('rollout: no rollout with a running server in this window.', vim.log.levels.WARN)
    return
  end
  local buffer = vim.api.nvim_create_buf(false, true)
  local window = vim.api.nvim_open_win(buffer, false, { split = 'right', width = WIDTH })
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
