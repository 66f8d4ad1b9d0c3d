// The extension starts schemagen lsp, beside the Go extension, and shows the CRD that the
// server returns for the part under the cursor. Everything else is the server's.
import * as vscode from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';

/** The result of the server's command schemagen.showCRD. */
interface Document {
  uri: string;
  text: string;
  range: { start: { line: number }; end: { line: number } };
}

const scheme = 'schemagen-crd';
let client: LanguageClient | undefined;

/** Texts are the definitions that were shown, by URI. No file is written. */
class Texts implements vscode.TextDocumentContentProvider {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly texts = new Map<string, string>();
  readonly onDidChange = this.changed.event;

  set(uri: vscode.Uri, text: string): void {
    this.texts.set(uri.toString(), text);
    this.changed.fire(uri);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? '';
  }
}

function start(): Promise<void> {
  const settings = vscode.workspace.getConfiguration('schemagen');
  client = new LanguageClient(
    'schemagen',
    'schemagen',
    { command: settings.get('path', 'schemagen'), args: ['lsp', ...settings.get<string[]>('arguments', [])] },
    {
      documentSelector: [
        { scheme: 'file', language: 'go' },
        { scheme: 'file', pattern: '**/{go.mod,go.work,schemagen.yaml}' },
      ],
      synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher('**/*.{go,mod,work,yaml}') },
    },
  );
  return client.start();
}

async function showCRD(texts: Texts): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor || !client) {
    return;
  }
  const shown = await client.sendRequest<Document | null>('workspace/executeCommand', {
    command: 'schemagen.showCRD',
    arguments: [editor.document.uri.toString(), editor.selection.active],
  });
  if (!shown) {
    await vscode.window.showInformationMessage('schemagen: there is no CRD with what is under the cursor');
    return;
  }
  const uri = vscode.Uri.parse(shown.uri).with({ scheme });
  texts.set(uri, shown.text);
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document, {
    viewColumn: vscode.ViewColumn.Beside,
    preserveFocus: true,
    selection: new vscode.Range(shown.range.start.line, 0, shown.range.end.line, 0),
  });
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const texts = new Texts();
  context.subscriptions.push(
    vscode.workspace.registerTextDocumentContentProvider(scheme, texts),
    vscode.commands.registerCommand('schemagen.openCRD', () => showCRD(texts)),
    vscode.commands.registerCommand('schemagen.restart', async () => {
      await client?.stop();
      await start();
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}
