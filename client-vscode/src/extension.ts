// The entry. Costs next to nothing until a rollout is open: only then is the server (and the
// client library with it) loaded and started. Never changes a document.
import { type ExtensionContext, TabInputText, commands, window, workspace } from "vscode";
import { isRollout } from "./documents";
import type { Server } from "./server";

let server: Promise<Server> | undefined;

export function activate(context: ExtensionContext): void {
  const output = window.createOutputChannel("Rollout", { log: true });
  const needed = () => {
    server ??= load();
    return server;
  };
  async function load(): Promise<Server> {
    const [{ Server }, { watchSize }] = await Promise.all([import("./server"), import("./status")]);
    context.subscriptions.push(watchSize());
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
    workspace.onDidOpenTextDocument((document) => {
      if (isRollout(document.uri.scheme, document.uri.path)) void needed();
    }),
    // Files over 50 MB come as a tab and never as a document.
    window.tabGroups.onDidChangeTabs(() => {
      if (server === undefined && hasRollout()) void needed();
    }),
    workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration("rollout.python") || event.affectsConfiguration("rollout.server.command")) {
        await (await server)?.start();
      }
    }),
  );
  if (hasRollout()) void needed();
}

export async function deactivate(): Promise<void> {
  await (await server)?.end();
}

function hasRollout(): boolean {
  return (
    workspace.textDocuments.some(({ uri }) => isRollout(uri.scheme, uri.path)) ||
    window.tabGroups.activeTabGroup.tabs.some(
      ({ input, isActive }) => isActive && input instanceof TabInputText && isRollout(input.uri.scheme, input.uri.path),
    )
  );
}
