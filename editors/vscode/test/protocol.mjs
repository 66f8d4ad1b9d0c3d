// Drives schemagen lsp with the protocol library of VS Code, in the module in the working
// directory: what VS Code would ask for, and what it would be asked.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);
const lsp = require('vscode-languageserver-protocol/node');

const server = spawn(process.env.SCHEMAGEN, ['lsp'], { stdio: ['pipe', 'pipe', 'inherit'] });
const exited = new Promise((resolve) => server.once('exit', resolve));
const connection = lsp.createProtocolConnection(new lsp.StreamMessageReader(server.stdout), new lsp.StreamMessageWriter(server.stdin));

const path = 'api/v1/types.go';
const uri = pathToFileURL(path).href;
let text = readFileSync(path, 'utf8');

/** The position after the first occurrence of a text, which JavaScript counts in UTF-16, too. */
function after(part) {
  const at = text.indexOf(part);
  assert(at >= 0, part);
  const lines = text.slice(0, at + part.length).split('\n');
  return { line: lines.length - 1, character: lines.at(-1).length };
}

const published = [];
let wake = () => {};
connection.onNotification(lsp.PublishDiagnosticsNotification.type, (params) => {
  published.push(params);
  wake();
});
const shown = [];
connection.onRequest('window/showDocument', (params) => {
  shown.push(params);
  return { success: true };
});
connection.listen();

/** Waits for diagnostics of a version that fulfil a condition. */
async function diagnostics(version, condition) {
  for (;;) {
    const last = published.findLast((p) => p.uri === uri && p.version === version);
    if (last && condition(last.diagnostics)) {
      return last.diagnostics;
    }
    await new Promise((resolve) => (wake = resolve));
  }
}

const { capabilities } = await connection.sendRequest(lsp.InitializeRequest.type, {
  processId: process.pid,
  rootUri: pathToFileURL('.').href,
  workspaceFolders: null,
  capabilities: { window: { showDocument: { support: true } }, workspace: { textDocumentContent: {} } },
});
assert.deepEqual(capabilities.executeCommandProvider.commands, ['schemagen.showCRD']);
await connection.sendNotification(lsp.InitializedNotification.type, {});
await connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, { textDocument: { uri, languageId: 'go', version: 1, text } });

const found = await diagnostics(1, (list) => list.length === 1);
const textDocument = { uri };
const actions = await connection.sendRequest(lsp.CodeActionRequest.type, { textDocument, range: found[0].range, context: { diagnostics: found } });
assert.equal(actions.length, 1);
const [edit] = actions[0].edit.documentChanges[0].edits;
await connection.sendNotification(lsp.DidChangeTextDocumentNotification.type, {
  textDocument: { uri, version: 2 },
  contentChanges: [{ range: edit.range, text: edit.newText }],
});
text = text.replace('MaxLenght', 'MaxLength');
await diagnostics(2, (list) => list.length === 0);

const completion = await connection.sendRequest(lsp.CompletionRequest.type, { textDocument, position: after("'😀' != self.n") });
assert.deepEqual(completion.items.map((item) => item.label).sort(), ['name', 'nodes']);
const hover = await connection.sendRequest(lsp.HoverRequest.type, { textDocument, position: after('\tName') });
assert.match(hover.contents.value, /maxLength: 9/);
const [definition] = await connection.sendRequest(lsp.DefinitionRequest.type, { textDocument, position: after('JSONPath=.spec.na') });
assert.deepEqual(definition.range.end, after('\tName'));
const hints = await connection.sendRequest(lsp.InlayHintRequest.type, { textDocument, range: { start: { line: 0, character: 0 }, end: after(text) } });
assert.match(hints[0].label, /of the cost limit/);

const crd = await connection.sendRequest(lsp.ExecuteCommandRequest.type, { command: 'schemagen.showCRD', arguments: [uri, after('\tName')] });
assert.match(crd.text.split('\n')[crd.range.start.line], /^ +name:$/);
assert.equal(shown.length, 1);
const content = await connection.sendRequest('workspace/textDocumentContent', { uri: shown[0].uri });
assert.equal(content.text, crd.text);

await connection.sendRequest(lsp.ShutdownRequest.type);
await connection.sendNotification(lsp.ExitNotification.type);
assert.equal(await exited, 0);
