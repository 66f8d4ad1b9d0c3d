-- Starts schemagen lsp beside gopls, and shows the CRD of what is under the cursor:
--
--   require('schemagen').setup()
--   require('schemagen').setup({ cmd = { 'schemagen', 'lsp', '--strict' } })
--
-- and then :SchemagenCRD. It needs Neovim 0.7 or newer.
local M = {}

local config = {
  cmd = { 'schemagen', 'lsp' },
  filetypes = { 'go', 'gomod', 'gowork', 'yaml' },
  root_markers = { 'go.work', 'go.mod' },
}

-- clients are the ids of the servers by directory.
local clients = {}

-- root returns the directory of a buffer's workspace, or nil if the file is in no module.
local function root(buffer)
  local directory = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buffer), ':p:h')
  for _, marker in ipairs(config.root_markers) do
    local found = vim.fn.findfile(marker, vim.fn.escape(directory, ' ,;*') .. ';')
    if found ~= '' then
      return vim.fn.fnamemodify(found, ':p:h')
    end
  end
end

-- attach connects a buffer to the server of its workspace, which it starts if there is none.
function M.attach(buffer)
  local directory = root(buffer)
  if not directory or vim.api.nvim_buf_get_option(buffer, 'buftype') ~= '' then
    return
  end
  if not clients[directory] then
    clients[directory] = vim.lsp.start_client({
      name = 'schemagen',
      cmd = config.cmd,
      root_dir = directory,
      workspace_folders = { { name = directory, uri = vim.uri_from_fname(directory) } },
      on_exit = function()
        clients[directory] = nil
      end,
    })
  end
  if clients[directory] then
    vim.lsp.buf_attach_client(buffer, clients[directory])
  end
end

-- show_crd opens the CRD of what is under the cursor in a window of its own, at that part. Nothing
-- is written.
function M.show_crd()
  local directory = root(0)
  local client = directory and clients[directory] and vim.lsp.get_client_by_id(clients[directory])
  if not client then
    return vim.notify('schemagen: no server for this file', vim.log.levels.WARN)
  end
  local at = vim.lsp.util.make_position_params(0, client.offset_encoding)
  local parameters = { command = 'schemagen.showCRD', arguments = { at.textDocument.uri, at.position } }
  client.request('workspace/executeCommand', parameters, function(err, result)
    if err or not result or result == vim.NIL then
      return vim.notify('schemagen: ' .. (err and err.message or 'there is no CRD with what is under the cursor'))
    end
    local buffer = vim.fn.bufadd(result.uri)
    vim.fn.bufload(buffer)
    vim.api.nvim_buf_set_option(buffer, 'modifiable', true)
    vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(result.text, '\n'))
    for option, value in pairs({ buftype = 'nofile', bufhidden = 'hide', swapfile = false, modifiable = false, filetype = 'yaml' }) do
      vim.api.nvim_buf_set_option(buffer, option, value)
    end
    if vim.fn.bufwinid(buffer) == -1 then
      vim.cmd('vertical sbuffer ' .. buffer)
    end
    vim.api.nvim_win_set_cursor(vim.fn.bufwinid(buffer), { result.range.start.line + 1, 0 })
  end)
end

-- setup starts the server for the files that are open, and for those that are opened. It may be
-- given other values for cmd, filetypes and root_markers.
function M.setup(options)
  config = vim.tbl_extend('force', config, options or {})
  local group = vim.api.nvim_create_augroup('schemagen', { clear = true })
  vim.api.nvim_create_autocmd('FileType', {
    group = group,
    pattern = config.filetypes,
    callback = function(event)
      M.attach(event.buf)
    end,
  })
  vim.api.nvim_create_user_command('SchemagenCRD', M.show_crd, { desc = 'Show the CRD of what is under the cursor' })
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buffer) and vim.tbl_contains(config.filetypes, vim.bo[buffer].filetype) then
      M.attach(buffer)
    end
  end
end

return M
