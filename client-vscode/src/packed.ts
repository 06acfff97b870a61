// Opens a packed rollout (.jsonl.zst): its text, which the server unpacks, takes the place of the
// editor that would show it as binary. The text is read-only, and nothing is unpacked to the disk.
import { type CustomDocument, type Disposable, Uri, type WebviewPanel, commands, window } from "vscode";
import { READ_SCHEME, textPath } from "./documents";
import type { Server } from "./server";

export const PACKED_EDITOR = "rollout.packed";

export function registerPacked(needed: () => Promise<Server>): Disposable {
  return window.registerCustomEditorProvider(PACKED_EDITOR, {
    openCustomDocument: (uri: Uri): CustomDocument => ({ uri, dispose() {} }),
    async resolveCustomEditor({ uri }: CustomDocument, panel: WebviewPanel): Promise<void> {
      const server = await needed();
      if (uri.scheme !== "file" || !(await server.isRunning())) {
        panel.webview.html =
          "<p>A packed rollout is unpacked by the language server of Rollout, which does not run for this file. " +
          "See <b>Rollout: Show Output</b>; then close this tab and open the file again.</p>";
        return;
      }
      const text = Uri.from({ scheme: READ_SCHEME, path: textPath(uri.path) });
      // First the text, then away with the panel: the other way round the tab group may be gone.
      await commands.executeCommand("vscode.open", text, panel.viewColumn);
      panel.dispose();
    },
  });
}
