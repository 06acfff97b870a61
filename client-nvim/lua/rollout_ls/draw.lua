--- What is drawn into the text of a rollout as soon as the server is there: hints, lenses, folds; and what the status
--- line may show. Each can be switched off: vim.g.rollout_ls_hints, _lenses, _folds = false.

local M = {}

local MAX_FOLD_LINES = 200000
local group = vim.api.nvim_create_augroup('rollout_ls.draw', {})

local function wanted(what)
  return vim.g['rollout_ls_' .. what] ~= false
end

local function fold(buffer)
  if vim.api.nvim_buf_line_count(buffer) > MAX_FOLD_LINES then
    return
  end
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    local options = vim.wo[window][0]
    options.foldmethod = 'expr'
    options.foldexpr = 'v:lua.vim.lsp.foldexpr()'
    options.foldtext = "v:lua.require'rollout_ls.draw'.fold_text()"
    options.foldlevel = 99
  end
end

local function ask_status(client, buffer)
  local params = { textDocument = vim.lsp.util.make_text_document_params(buffer) }
  client:request('rollout/documentStatus', params, function(_, status)
    if not status or not vim.api.nvim_buf_is_valid(buffer) then
      return
    end
    local parts = { status.state }
    if type(status.records) == 'number' then
      table.insert(parts, 1, ('%d records, %d turns'):format(status.records, status.turns))
    end
    if #status.limits > 0 then
      parts[#parts + 1] = 'limits reached: ' .. table.concat(status.limits, ', ')
    end
    vim.b[buffer].rollout_ls_status = table.concat(parts, ', ')
    vim.cmd.redrawstatus()
  end, buffer)
end

-- Neovim 0.11 draws lenses behind the end of their line, where nobody sees them on the long lines of a rollout. So they
-- are drawn above it here, and Neovim is only told of them, for vim.lsp.codelens.run().
local namespace = vim.api.nvim_create_namespace('rollout_ls.lenses')

--- @class rollout_ls.Lenses the lenses of a buffer: by row (from 0), and which rows are drawn already
--- @field by_row table<integer, table[]>
--- @field drawn table<integer, boolean>

--- @type table<integer, rollout_ls.Lenses>
local lenses_of = {}

local function draw_row(buffer, row, lenses)
  local pieces = {}
  for _, lens in ipairs(lenses) do
    if not lens.command then
      return
    end
    if #pieces > 0 then
      pieces[#pieces + 1] = { ' | ', 'LspCodeLensSeparator' }
    end
    pieces[#pieces + 1] = { lens.command.title, 'LspCodeLens' }
  end
  if row < vim.api.nvim_buf_line_count(buffer) then
    -- above the very first line there is no room
    vim.api.nvim_buf_set_extmark(buffer, namespace, row, 0, { virt_lines = { pieces }, virt_lines_above = row > 0 })
  end
end

--- Draws the lenses of the rows that are on the screen, asking for what they say.
local function draw_shown(client, buffer)
  local known = lenses_of[buffer]
  if not known or client:is_stopped() then
    return
  end
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    for row = vim.fn.line('w0', window) - 2, vim.fn.line('w$', window) do
      local lenses = known.by_row[row]
      if lenses and not known.drawn[row] then
        known.drawn[row] = true
        for _, lens in ipairs(lenses) do
          client:request('codeLens/resolve', lens, function(failure, resolved)
            if not failure and lenses_of[buffer] == known then
              lens.command = resolved.command
              draw_row(buffer, row, lenses)
            end
          end, buffer)
        end
      end
    end
  end
end

--- What stands for a closed fold: of a turn what its lens says, which is hidden with it; else what the server says.
--- @return string
function M.fold_text()
  local buffer = vim.api.nvim_get_current_buf()
  local known = lenses_of[buffer]
  for _, lens in ipairs(known and known.by_row[vim.v.foldstart - 1] or {}) do
    local title = lens.command and lens.command.title or ''
    if title:match('^turn ') or title:match('^inherited turn') then
      return title
    end
    if not lens.command then -- not asked for as yet; what comes is drawn
      vim.schedule(function()
        local client = require('rollout_ls').client(buffer)
        if client then
          draw_shown(client, buffer)
        end
      end)
      break
    end
  end
  return vim.lsp.foldtext()
end

local function ask_lenses(client, buffer)
  local params = { textDocument = vim.lsp.util.make_text_document_params(buffer) }
  client:request('textDocument/codeLens', params, function(failure, lenses)
    if failure or not vim.api.nvim_buf_is_valid(buffer) then
      return
    end
    local by_row = {}
    for _, lens in ipairs(lenses or {}) do
      local row = lens.range.start.line
      by_row[row] = by_row[row] or {}
      table.insert(by_row[row], lens)
    end
    vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
    lenses_of[buffer] = { by_row = by_row, drawn = {} }
    vim.lsp.codelens.save(lenses or {}, buffer, client.id)
    draw_shown(client, buffer)
  end, buffer)
end

local function draw_lenses(client, buffer)
  if vim.lsp.codelens.enable then -- since Neovim 0.12, which draws them above their line
    vim.lsp.codelens.enable(true, { bufnr = buffer })
    return
  end
  local changed = vim.api.nvim_buf_get_changedtick(buffer)
  ask_lenses(client, buffer)
  -- DiagnosticChanged: the server has read what is new, such as what was appended to the file
  vim.api.nvim_create_autocmd({ 'CursorHold', 'InsertLeave', 'BufWinEnter', 'DiagnosticChanged' }, {
    group = group,
    buffer = buffer,
    callback = function(event)
      if event.event == 'DiagnosticChanged' and vim.fn.mode():match('^[iR]') then
        return
      end
      local tick = vim.api.nvim_buf_get_changedtick(buffer)
      if tick ~= changed and not client:is_stopped() then
        changed = tick
        ask_lenses(client, buffer)
      else
        draw_shown(client, buffer)
      end
    end,
  })
  vim.api.nvim_create_autocmd({ 'CursorMoved', 'WinScrolled' }, {
    group = group,
    buffer = buffer,
    callback = function()
      draw_shown(client, buffer)
    end,
  })
  vim.api.nvim_create_autocmd('BufWipeout', {
    group = group,
    buffer = buffer,
    callback = function()
      lenses_of[buffer] = nil
    end,
  })
end

--- Draws all that is wanted; for a buffer to which the server was just attached.
--- @param client vim.lsp.Client
--- @param buffer integer
function M.attach(client, buffer)
  vim.api.nvim_clear_autocmds({ group = group, buffer = buffer })
  if wanted('hints') then
    vim.lsp.inlay_hint.enable(true, { bufnr = buffer })
  end
  if wanted('lenses') then
    draw_lenses(client, buffer)
  end
  if wanted('folds') then
    fold(buffer)
    vim.api.nvim_create_autocmd('BufWinEnter', {
      group = group,
      buffer = buffer,
      callback = function()
        fold(buffer)
      end,
    })
  end
  ask_status(client, buffer)
  vim.api.nvim_create_autocmd('DiagnosticChanged', {
    group = group,
    buffer = buffer,
    callback = function()
      if not client:is_stopped() then
        ask_status(client, buffer)
      end
    end,
  })
end

return M
