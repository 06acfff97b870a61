// What the language status (the braces beside the language name) shows: the server's state, and
// on big files what the editor leaves out. Made only once a rollout is open.
import {
  type Disposable,
  type LanguageStatusItem,
  LanguageStatusSeverity,
  TabInputText,
  type TextDocument,
  type Uri,
  languages,
  window,
  workspace,
} from "vscode";
import { MAX_SHARED_CHARACTERS, type Note, ROLLOUTS, TOO_LARGE, isRollout, sizeNote } from "./documents";

export type State = "starting" | "running" | "stopped" | "failed";

/** The item for the server's state; a click on its command starts the server anew. */
export function createServerItem(): LanguageStatusItem {
  const item = languages.createLanguageStatusItem("rollout.server", ROLLOUTS);
  item.name = "Rollout server";
  item.text = "Rollout";
  item.command = { command: "rollout.restartServer", title: "Restart" };
  return item;
}

export function showState(item: LanguageStatusItem, state: State, detail: string): void {
  item.busy = state === "starting";
  item.severity = state === "failed" ? LanguageStatusSeverity.Error : LanguageStatusSeverity.Information;
  item.detail = detail === "" ? state : `${state}, ${detail}`;
}

/** Keeps a second item for the file in the active tab, where the editor's limits touch it. */
export function watchSize(): Disposable {
  let item: LanguageStatusItem | undefined;
  let turn = 0;

  async function update(): Promise<void> {
    const mine = ++turn;
    const uri = activeUri();
    const note = uri !== undefined && isRollout(uri.scheme, uri.path) ? await noteFor(uri) : undefined;
    if (mine !== turn) {
      return; // the person has moved on meanwhile
    }
    item?.dispose();
    item = undefined;
    if (uri !== undefined && note !== undefined) {
      item = languages.createLanguageStatusItem("rollout.size", ROLLOUTS);
      item.name = "Rollout size";
      item.text = note.text;
      item.detail = note.detail;
      item.severity = LanguageStatusSeverity.Warning;
    }
  }

  const listeners = [
    window.tabGroups.onDidChangeTabs(update),
    window.tabGroups.onDidChangeTabGroups(update),
    workspace.onDidOpenTextDocument(update),
    workspace.onDidSaveTextDocument(update),
  ];
  void update();
  return {
    dispose() {
      turn++;
      item?.dispose();
      for (const listener of listeners) listener.dispose();
    },
  };
}

function activeUri(): Uri | undefined {
  const input = window.tabGroups.activeTabGroup.activeTab?.input;
  return input instanceof TabInputText ? input.uri : undefined;
}

async function noteFor(uri: Uri): Promise<Note | undefined> {
  const document = workspace.textDocuments.find((each) => each.uri.toString() === uri.toString());
  if (document !== undefined) {
    const optimizations = workspace.getConfiguration("editor", document).get("largeFileOptimizations", true);
    return sizeNote(characterCount(document), document.lineCount, optimizations);
  }
  try {
    // A file has no fewer bytes than characters, so this may ask too often, and never too seldom;
    // a document that is merely not there yet comes as an event of its own.
    return (await workspace.fs.stat(uri)).size > MAX_SHARED_CHARACTERS ? TOO_LARGE : undefined;
  } catch {
    return undefined;
  }
}

/** In UTF-16 units, without making one string of the document. */
function characterCount(document: TextDocument): number {
  return document.offsetAt(document.lineAt(document.lineCount - 1).range.end);
}
