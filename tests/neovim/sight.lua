-- Does in a headless Neovim what a person does to read a rollout, and tells what was seen. The plan says which row
-- holds a call, what is appended to the file, and where the same rollout lies packed.

local person = dofile(vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2)) .. '/person.lua')
local plan, seen, buffer = person.plan, person.seen, person.buffer
local wait, row, go, lines = person.wait, person.row, person.go, person.lines
local rollout = require('rollout_ls')

local function plug(name)
  vim.api.nvim_feedkeys(vim.keycode('<Plug>(rollout-' .. name .. ')'), 'x', false)
end

local function label_of(hint)
  local parts = hint.inlay_hint.label
  return type(parts) == 'string' and parts
    or table.concat(vim.tbl_map(function(part)
      return part.value
    end, parts))
end

local function findings(of)
  return #vim.diagnostic.get(of)
end

local function drawn(client)
  wait('hints', function()
    return #vim.lsp.inlay_hint.get({ bufnr = buffer }) > 0
  end)
  seen.hints = {}
  for _, hint in ipairs(vim.lsp.inlay_hint.get({ bufnr = buffer })) do
    seen.hints[#seen.hints + 1] = { hint.inlay_hint.position.line, label_of(hint) }
  end
  wait('lenses with titles', function()
    local lenses = vim.lsp.codelens.get(buffer)
    return #lenses > 0 and lenses[1].command ~= nil
  end)
  local space = vim.api.nvim_get_namespaces()['rollout_ls.lenses']
  wait('lenses above their lines', function()
    return #vim.api.nvim_buf_get_extmarks(buffer, space, { 1, 0 }, { 1, -1 }, {}) > 0
  end)
  seen.lenses = {}
  for _, lens in ipairs(vim.lsp.codelens.get(buffer)) do
    local known = lens
    if not lens.command then
      known = person.ask(client, 'codeLens/resolve', lens)
    end
    seen.lenses[#seen.lenses + 1] = { lens.range.start.line, known.command.title }
    if known.command.command == 'rollout.goTo' and not seen.lens_jump then
      client:exec_cmd(known.command, { bufnr = buffer })
      wait('the jump of a lens', function()
        return row() > 0
      end)
      seen.lens_jump = row()
    end
  end
  wait('folds', function()
    return vim.fn.foldlevel(plan.call + 1) > 0
  end)
  vim.cmd.normal({ 'zM', bang = true })
  seen.fold = { vim.fn.foldclosed(plan.call + 1), vim.fn.foldclosedend(plan.call + 1) }
  wait('the text of a closed turn', function()
    seen.fold_text = vim.fn.foldtextresult(seen.fold[1])
    return seen.fold_text:match('^turn 1: ') ~= nil
  end)
  vim.cmd.normal({ 'zR', bang = true })
  wait('tokens', function()
    local column = lines()[plan.call + 1]:find('"function_call"')
    local tokens = vim.lsp.semantic_tokens.get_at_pos(buffer, plan.call, column)
    seen.token = tokens and tokens[1] and tokens[1].type
    return seen.token ~= nil
  end)
  wait('the status', function()
    return rollout.status():match('read$') ~= nil
  end)
  seen.status = rollout.status()
end

local function steps()
  seen.steps = {}
  for _, name in ipairs({ 'next-turn', 'previous-turn', 'next-failed-call', 'partner' }) do
    go(plan.call, 3)
    plug(name)
    seen.steps[name] = row()
  end
  plug('copy-resume-command')
  seen.copied = vim.fn.getreg('"')
  go(plan.call, 3)
  vim.lsp.buf.references(nil, { loclist = true })
  wait('references', function()
    return #vim.fn.getloclist(0) > 0
  end)
  seen.references = #vim.fn.getloclist(0)
  vim.cmd.lclose()
  vim.ui.select = function(items, options, chosen)
    seen.picks = vim.tbl_map(options.format_item, items)
    chosen(items[2])
  end
  plug('pick-turn')
  seen.picked = row()
end

local function readable()
  go(plan.call, 3)
  vim.cmd.RolloutRead('turn')
  seen.turn = { name = vim.api.nvim_buf_get_name(0), first = lines()[1], at = vim.api.nvim_get_current_line() }
  seen.turn.type, seen.turn.modifiable = vim.bo.filetype, vim.bo.modifiable
  seen.turn.findings = findings(0)
  vim.lsp.buf.definition()
  wait('the way back', function()
    return vim.api.nvim_get_current_buf() == buffer
  end)
  seen.back = row()
  vim.cmd.RolloutRead()
  seen.session = { name = vim.api.nvim_buf_get_name(0), first = lines()[1] }
  vim.api.nvim_set_current_buf(buffer)
  go(plan.call, 3)
  vim.cmd.RolloutRead('record')
  seen.record = { type = vim.bo.filetype, text = table.concat(lines(), '\n') }
  plug('partner')
  wait('the way back from a record', function()
    return vim.api.nvim_get_current_buf() == buffer
  end)
end

local function packed()
  vim.cmd.edit(vim.fn.fnameescape(plan.packed))
  local text = vim.api.nvim_get_current_buf()
  wait('findings of a packed rollout, the idle ones too', function()
    return findings(text) > 0 and findings(text) == findings(buffer)
  end)
  seen.packed = {
    name = vim.api.nvim_buf_get_name(text),
    same = vim.deep_equal(lines(text), lines(buffer)),
    findings = findings(text),
    plain = findings(buffer),
    modifiable = vim.bo[text].modifiable,
  }
  wait('hints of a packed rollout', function()
    return #vim.lsp.inlay_hint.get({ bufnr = text }) > 0
  end)
  go(plan.call, 3)
  plug('partner')
  seen.packed.partner = row()
  go(plan.call, 3)
  vim.cmd.RolloutRead('turn')
  seen.packed.turn = { vim.api.nvim_buf_get_name(0), lines()[1] }
  plug('partner')
  wait('the way back to a packed rollout', function()
    return vim.api.nvim_get_current_buf() == text
  end)
  vim.api.nvim_set_current_buf(buffer)
  vim.cmd.edit(vim.fn.fnameescape(plan.packed)) -- once more
  wait('the same buffer', function()
    return vim.api.nvim_get_current_buf() == text
  end)
  vim.api.nvim_set_current_buf(buffer)
end

local function followed()
  local outline = person.open_outline()
  go(plan.call, 3)
  vim.api.nvim_exec_autocmds('CursorMoved', { buffer = buffer })
  local function here()
    local shown = vim.api.nvim_win_get_buf(outline)
    return lines(shown)[vim.api.nvim_win_get_cursor(outline)[1]]
  end
  seen.followed = here()
  -- the file grows
  local file = assert(io.open(vim.api.nvim_buf_get_name(buffer), 'a'))
  file:write(plan.more, '\n')
  file:close()
  vim.o.autoread = true
  vim.cmd.checktime()
  wait('the file as it is now', function()
    return vim.api.nvim_buf_line_count(buffer) == plan.lines + 1
  end)
  wait('the lenses of what was added', function()
    local first = vim.lsp.codelens.get(buffer)[1]
    return first and first.command and first.command.title:match('^4 turns, 13 calls') ~= nil
  end)
  vim.api.nvim_exec_autocmds('TextChanged', { buffer = buffer })
  wait('the outline of what was added', function()
    return table.concat(lines(vim.api.nvim_win_get_buf(outline)), '\n'):find('call_grown', 1, true) ~= nil
  end)
  vim.cmd.RolloutOutline()
end

local function survived(client)
  local pids = vim.split(vim.trim(vim.system({ 'pgrep', '-P', tostring(vim.fn.getpid()) }):wait().stdout), '\n')
  for _, pid in ipairs(pids) do
    vim.uv.kill(tonumber(pid), 'sigkill')
  end
  wait('the end of the server', function()
    return client:is_stopped() and rollout.client(buffer) == nil
  end)
  vim.api.nvim_set_current_buf(buffer)
  vim.cmd.edit()
  wait('a new server', function()
    local new = rollout.client(buffer)
    return new ~= nil and new.id ~= client.id and findings(buffer) > 0
  end)
  seen.survived = rollout.client(buffer) ~= nil
end

local function run()
  wait('the server', function()
    return rollout.client(buffer) ~= nil
  end)
  local client = rollout.client(buffer)
  if not client then
    return
  end
  wait('findings, the idle ones too', function()
    return findings(buffer) == plan.findings
  end)
  drawn(client)
  steps()
  readable()
  packed()
  followed()
  vim.cmd.checkhealth('rollout_ls')
  seen.health = table.concat(lines(), '\n')
  vim.cmd.bwipeout({ bang = true })
  survived(client)
end

person.play(run)
