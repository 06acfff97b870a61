// The entry. Costs next to nothing until a rollout is open: only then is the server (and the
// client library with it) loaded and started. Never changes a document.
import { type ExtensionContext, type TextDocument, commands, window, workspace } from "vscode";
import { isRollout } from "./documents";
import type { Server } from "./server";
import { watchSize } from "./status";

let server: Promise<Server> | undefined;

export function activate(context: ExtensionContext): void {
  const output = window.createOutputChannel("Rollout", { log: true });
  const needed = () => {
    server ??= load();
    return server;
  };
  async function load(): Promise<Server> {
    const { Server } = await import("./server");
    const loaded = new Server(output, context.extensionUri.fsPath);
    void loaded.start();
    return loaded;
  }

  context.subscriptions.push(
    output,
    commands.registerCommand("rollout.showOutput", () => output.show()),
    commands.registerCommand("rollout.restartServer", async () => {
      const isNew = server === undefined;
      const loaded = await needed();
      if (!isNew) await loaded.start();
    }),
    watchSize(),
    workspace.onDidOpenTextDocument((document) => {
      if (isRolloutDocument(document)) void needed();
    }),
    workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration("rollout.python") || event.affectsConfiguration("rollout.server.command")) {
        await (await server)?.start();
      }
    }),
  );
  if (workspace.textDocuments.some(isRolloutDocument)) void needed();
}

export async function deactivate(): Promise<void> {
  await (await server)?.end();
}

function isRolloutDocument({ uri }: TextDocument): boolean {
  return isRollout(uri.scheme, uri.path);
}
