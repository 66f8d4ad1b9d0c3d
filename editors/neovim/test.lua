-- Drives schemagen lsp from a real Neovim: findings, completion, hover, definition, a code action and the
-- CRD, in the module in the working directory. It ends with an error if an answer is not the
-- expected one.
vim.opt.runtimepath:append(vim.env.SCHEMAGEN_NEOVIM)
require('schemagen').setup({ cmd = { vim.env.SCHEMAGEN, 'lsp' } })

-- wait waits until a function returns something, for a minute at most.
local function wait(what, f)
  local result
  if not vim.wait(60000, function()
    result = f()
    return result
  end, 20) then
    error('no ' .. what)
  end
  return result
end

vim.cmd('edit api/v1/types.go')
vim.cmd('setfiletype go')
local file = vim.api.nvim_buf_get_name(0)

-- at sets the cursor to the end of the only line with a text, and returns the line's number from 1.
local function at(text)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    local _, last = line:find(text, 1, true)
    if last then
      vim.api.nvim_win_set_cursor(0, { number, last - 1 })
      return number, last
    end
  end
  error('no ' .. text)
end

-- ask sends a request about the cursor, some bytes further on.
local function ask(method, extra, further)
  local parameters = vim.lsp.util.make_position_params(0, 'utf-16')
  parameters.position.character = parameters.position.character + (further or 0)
  parameters = vim.tbl_extend('force', parameters, extra or {})
  local answers = vim.lsp.buf_request_sync(0, method, parameters, 60000)
  for _, answer in pairs(answers or {}) do
    assert(not answer.error, vim.inspect(answer.error))
    return answer.result
  end
  error('no answer to ' .. method)
end

local found = wait('finding', function()
  local all = vim.diagnostic.get(0)
  return #all > 0 and all
end)
assert(#found == 1 and found[1].message:find('MaxLength', 1, true), vim.inspect(found))

-- The code action corrects the misspelled marker, in the buffer alone.
local line = at('+kubebuilder:validation:MaxLenght')
local actions = ask('textDocument/codeAction', {
  range = { start = { line = line - 1, character = 0 }, ['end'] = { line = line - 1, character = 9 } },
  context = { diagnostics = {} },
})
assert(#actions == 1, vim.inspect(actions))
vim.lsp.util.apply_workspace_edit(actions[1].edit, 'utf-16')
at('+kubebuilder:validation:MaxLength=9')
wait('end of the finding', function()
  return #vim.diagnostic.get(0) == 0
end)

-- Completion of a field in a rule, behind a character outside of the basic plane.
at("'😀' != self.n")
local labels = {}
for _, item in ipairs(ask('textDocument/completion', nil, 1).items) do
  table.insert(labels, item.label)
end
assert(vim.tbl_contains(labels, 'name') and vim.tbl_contains(labels, 'nodes'), vim.inspect(labels))

-- Hover, definition, references and symbols.
at('\tName')
assert(ask('textDocument/hover').contents.value:find('maxLength: 9', 1, true))
local references = ask('textDocument/references', { context = { includeDeclaration = false } })
assert(#references == 2, vim.inspect(references))
local declared = at('\tName')
at('JSONPath=.spec.na')
local definition = ask('textDocument/definition')
assert(#definition == 1 and definition[1].range.start.line == declared - 1, vim.inspect(definition))
local symbols = ask('textDocument/documentSymbol')
assert(symbols[1].name == 'Widget', vim.inspect(symbols))

-- The CRD, in a buffer that is no file.
at('\tName')
vim.cmd('SchemagenCRD')
local shown = wait('CRD', function()
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_get_name(buffer):find('example.com_widgets.yaml', 1, true) and vim.fn.bufwinid(buffer) ~= -1 then
      return buffer
    end
  end
end)
assert(vim.bo[shown].buftype == 'nofile')
local cursor = vim.api.nvim_win_get_cursor(vim.fn.bufwinid(shown))
assert(vim.api.nvim_buf_get_lines(shown, cursor[1] - 1, cursor[1], false)[1]:find('name:', 1, true))

-- What was typed is not on disk.
assert(table.concat(vim.fn.readfile(file), '\n'):find('MaxLenght', 1, true))
vim.cmd('qall!')
