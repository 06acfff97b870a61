-- What the drives share: what a person does in a Neovim and waits for, and how that is told to the test, as JSON in
-- $ROLLOUT_TEST_RESULT. $ROLLOUT_TEST_PLAN has what the test knows of the rollout; rows are from 0.

local M = {}

local PATIENCE_MS = 30000
M.plan = vim.json.decode(vim.env.ROLLOUT_TEST_PLAN)
M.seen = { errors = {} }
M.buffer = vim.api.nvim_get_current_buf()

--- Waits until something is so; goes on with an error where it is not so in time.
function M.wait(what, condition)
  if not vim.wait(PATIENCE_MS, condition, 20) then
    M.seen.errors[#M.seen.errors + 1] = 'waited in vain: ' .. what
  end
end

--- Asks the server; what it answers, or nil.
function M.ask(client, method, params)
  local answer = client:request_sync(method, params, PATIENCE_MS, M.buffer)
  return answer and answer.result
end

function M.row()
  return vim.api.nvim_win_get_cursor(0)[1] - 1
end

function M.go(line, column)
  vim.api.nvim_win_set_cursor(0, { line + 1, column or 0 })
end

function M.lines(of)
  return vim.api.nvim_buf_get_lines(of or 0, 0, -1, false)
end

--- Opens the outline; its window, once there is something in it.
function M.open_outline()
  vim.cmd.RolloutOutline()
  local found
  M.wait('the outline', function()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      local shown = vim.api.nvim_win_get_buf(window)
      if vim.bo[shown].filetype == 'rolloutoutline' and vim.api.nvim_buf_line_count(shown) > 1 then
        found = window
        return true
      end
    end
    return false
  end)
  return found
end

--- Does it all, tells what was seen, and ends Neovim.
function M.play(run)
  local fine, problem = xpcall(run, debug.traceback)
  if not fine then
    M.seen.errors[#M.seen.errors + 1] = tostring(problem)
  end
  M.seen.messages = vim.api.nvim_exec2('messages', { output = true }).output
  local file = assert(io.open(vim.env.ROLLOUT_TEST_RESULT, 'w'))
  file:write(vim.json.encode(M.seen))
  file:close()
  vim.cmd.qall({ bang = true })
end

return M
