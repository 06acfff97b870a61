--- The commands and `<Plug>` maps: steps through a session, documents to read, ids to copy. The server works out what
--- they do. Never changes a rollout.

local M = {}

local PATIENCE_MS = 10000
local rollout = require('rollout_ls')
local read = require('rollout_ls.read')

local function say(text)
  vim.notify('rollout: ' .. text, vim.log.levels.INFO)
end

--- Asks the server about the current buffer; nil where nothing comes.
local function ask(method, more)
  local client = rollout.client()
  if not client then
    vim.notify('rollout: no rollout with a running server in this window.', vim.log.levels.WARN)
    return
  end
  local params = vim.tbl_extend('force', vim.lsp.util.make_position_params(0, client.offset_encoding), more or {})
  local answer = client:request_sync(method, params, PATIENCE_MS, 0)
  local result = answer and answer.result
  if result == vim.NIL then
    result = nil
  end
  return result, client
end

--- @param to "next turn"|"previous turn"|"next failed call"|"partner"
function M.step(to)
  if not rollout.is_rollout_buffer(vim.api.nvim_buf_get_name(0)) then
    if to == 'partner' then
      vim.lsp.buf.definition()
    else
      say('no rollout in this window')
    end
    return
  end
  local found, client = ask('rollout/step', { to = to })
  if found then
    vim.lsp.util.show_document(found, client.offset_encoding, { focus = true, reuse_win = true })
  elseif client then
    say(to == 'partner' and 'nothing belongs to this record' or ('no %s from here'):format(to))
  end
end

--- Reads the session, or the turn or record under the cursor.
--- @param what? "session"|"turn"|"record"
function M.read(what)
  what = (what == nil or what == '') and 'session' or what
  local name = vim.api.nvim_buf_get_name(0)
  local line = rollout.is_rollout_buffer(name) and vim.api.nvim_win_get_cursor(0)[1] - 1 or nil
  if what == 'session' then
    local uri = (line or name:match('^rollout%-read:')) and read.session_of(name)
    if uri then
      read.show(uri, line)
    else
      say('no rollout in this window')
    end
    return
  end
  if what ~= 'turn' and what ~= 'record' then
    say('read what? session, turn or record')
    return
  end
  local found, client = ask('rollout/readableUri', { what = what })
  if found then
    read.show(found.uri, line)
  elseif client then
    say('no ' .. what .. ' here')
  end
end

--- @param what "threadId"|"resume"
function M.copy(what)
  local story, client = ask('rollout/turns')
  local text = story and story[what]
  if type(text) == 'string' then
    vim.fn.setreg('"', text)
    pcall(vim.fn.setreg, '+', text)
    say('copied ' .. text)
  elseif client then
    say('this session has no id')
  end
end

--- Picks a turn from a list and goes there.
function M.pick()
  local story = ask('rollout/turns')
  if not story then
    return
  end
  local in_rollout = rollout.is_rollout_buffer(vim.api.nvim_buf_get_name(0))
  vim.ui.select(story.turns, {
    prompt = in_rollout and 'Go to a turn' or 'Read a turn',
    format_item = function(turn)
      return turn.name .. '  ' .. turn.detail
    end,
  }, function(turn)
    if not turn then
      return
    end
    if in_rollout then
      vim.cmd("normal! m'")
      vim.api.nvim_win_set_cursor(0, { turn.line + 1, 0 })
    else
      read.show(turn.read)
    end
  end)
end

--- `rollout.goTo` of lenses: shows a row of a document.
function M.go_to(uri, row, ctx)
  local at = { line = row, character = 0 }
  local client = ctx and vim.lsp.get_client_by_id(ctx.client_id)
  local location = { uri = uri, range = { start = at, ['end'] = at } }
  vim.lsp.util.show_document(location, client and client.offset_encoding or 'utf-8', { focus = true, reuse_win = true })
end

return M
