// The entry. Costs next to nothing until a rollout is open: only then is the server (and the
// client library with it) loaded and started. Never changes a document.
import { type ExtensionContext, TabInputText, type TextDocument, commands, window, workspace } from "vscode";
import { registerActions } from "./actions";
import { READ_SCHEME, isRollout } from "./documents";
import { registerPacked } from "./packed";
import type { Server } from "./server";
import { watchDocument, watchSize } from "./status";
import { Withheld } from "./withheld";

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
    loaded.onStarted(() => withheld.again());
    void loaded.start();
    context.subscriptions.push(watchDocument((method, params) => loaded.ask(method, params)));
    return loaded;
  }
  const withheld = new Withheld(needed);

  context.subscriptions.push(
    output,
    commands.registerCommand("rollout.showOutput", () => output.show()),
    commands.registerCommand("rollout.restartServer", async () => {
      const isNew = server === undefined;
      const loaded = await needed();
      if (!isNew) await loaded.start();
    }),
    withheld,
    watchSize((uri) => withheld.see(uri)),
    registerPacked(needed),
    ...registerActions(needed),
    workspace.onDidOpenTextDocument((document) => {
      if (isRolloutDocument(document)) void needed();
    }),
    workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration("rollout.python") || event.affectsConfiguration("rollout.server.command")) {
        await (await server)?.start();
      }
    }),
  );
  if (workspace.textDocuments.some(isRolloutDocument) || hasReadableTab()) void needed();
}

export async function deactivate(): Promise<void> {
  await (await server)?.end();
}

/** Whether a tab shows what the server makes, as after the window was loaded anew. */
function hasReadableTab(): boolean {
  const tabs = window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs.some(({ input }) => input instanceof TabInputText && input.uri.scheme === READ_SCHEME);
}

function isRolloutDocument({ uri }: TextDocument): boolean {
  return isRollout(uri.scheme, uri.path);
}
