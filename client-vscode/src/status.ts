// What the status bar shows: the server's state (in the language status, the braces beside the
// language name), and on big files what the editor leaves out.
import {
  type Disposable,
  type LanguageStatusItem,
  LanguageStatusSeverity,
  StatusBarAlignment,
  type StatusBarItem,
  TabInputText,
  ThemeColor,
  type TextDocument,
  type Uri,
  languages,
  window,
  workspace,
} from "vscode";
import { MAX_SHARED_CHARACTERS, ROLLOUTS, isReduced, isRollout } from "./documents";

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

/** `rollout/documentStatus` of the server. */
interface DocumentStatus {
  readonly state: string;
  readonly bytes: number;
  readonly limits: readonly string[];
  readonly records?: number;
  readonly turns?: number;
}

const STATUS_REST_MS = 500;
const STATUS_AGAIN_MS = 3_000;

/** Tells of the rollout in the active editor how many records and turns it has, how far it is read, and what limits
 * were reached. `ask` asks the server. */
export function watchDocument(ask: (method: string, params: object) => Promise<DocumentStatus | undefined>): Disposable {
  const item = languages.createLanguageStatusItem("rollout.document", ROLLOUTS);
  item.name = "Rollout document";
  item.text = "…";
  item.command = { command: "rollout.pickTurn", title: "Pick Turn" };
  let timer: NodeJS.Timeout | undefined;

  function soon(after: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => void update(), after);
  }

  async function update(): Promise<void> {
    const document = window.activeTextEditor?.document;
    if (document === undefined || !isRollout(document.uri.scheme, document.uri.path)) {
      return;
    }
    const status = await ask("rollout/documentStatus", { textDocument: { uri: document.uri.toString() } });
    if (status === undefined || window.activeTextEditor?.document !== document) {
      return;
    }
    showDocument(item, status);
    if (status.state !== "read") soon(STATUS_AGAIN_MS);
  }

  const listeners = [
    window.onDidChangeActiveTextEditor(() => soon(0)),
    workspace.onDidChangeTextDocument(({ document }) => {
      if (document === window.activeTextEditor?.document) soon(STATUS_REST_MS);
    }),
  ];
  soon(0);
  return {
    dispose() {
      clearTimeout(timer);
      for (const listener of listeners) listener.dispose();
      item.dispose();
    },
  };
}

function showDocument(item: LanguageStatusItem, { state, limits, records, turns }: DocumentStatus): void {
  const counted = (number: number, noun: string) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
  item.text = records === undefined ? "Rollout" : `${counted(records, "record")}, ${counted(turns ?? 0, "turn")}`;
  item.detail = limits.length === 0 ? state : `${state}; limits reached: ${limits.join(", ")}`;
  item.severity = limits.length === 0 ? LanguageStatusSeverity.Information : LanguageStatusSeverity.Warning;
  item.busy = state.startsWith("being");
}

/** Tells of the rollout in the active tab what the editor leaves out because of its size. */
export function watchSize(withheld: (uri: Uri) => void): Disposable {
  let shown: Disposable | undefined;
  let turn = 0;

  async function update(): Promise<void> {
    const mine = ++turn;
    const uri = activeUri();
    const size = await activeSize();
    if (mine === turn) {
      if (size === "withheld" && uri !== undefined) withheld(uri);
      shown?.dispose();
      shown = size === "reduced" ? createReducedItem() : size === "withheld" ? createWithheldItem() : undefined;
    }
  }

  const listeners = [
    window.tabGroups.onDidChangeTabs(update),
    window.tabGroups.onDidChangeTabGroups(update),
    workspace.onDidOpenTextDocument((document) => {
      if (isRollout(document.uri.scheme, document.uri.path)) void update();
    }),
  ];
  void update();
  return {
    dispose() {
      turn++;
      shown?.dispose();
      for (const listener of listeners) listener.dispose();
    },
  };
}

function createReducedItem(): LanguageStatusItem {
  const item = languages.createLanguageStatusItem("rollout.size", ROLLOUTS);
  item.name = "Rollout size";
  item.text = "Large rollout";
  item.detail = "no folding, lenses, inlay hints";
  item.severity = LanguageStatusSeverity.Warning;
  item.command = {
    command: "workbench.action.openSettings",
    title: "Open Setting",
    arguments: ["editor.largeFileOptimizations"],
  };
  return item;
}

/** In the status bar itself: the language status is not shown for what is withheld from extensions. */
function createWithheldItem(): StatusBarItem {
  const item = window.createStatusBarItem("rollout.withheld", StatusBarAlignment.Right);
  item.name = "Rollout size";
  item.text = "$(warning) Rollout over 50 MB";
  item.tooltip =
    "The editor hands no extension a file of this size, so it is shown as plain text. Its findings are in Problems. " +
    "A click picks a turn to read.";
  item.command = "rollout.pickTurn";
  item.backgroundColor = new ThemeColor("statusBarItem.warningBackground");
  item.show();
  return item;
}

/** The document of the active tab, whether extensions get to see it or not. */
export function activeUri(): Uri | undefined {
  const input = window.tabGroups.activeTabGroup.activeTab?.input;
  return input instanceof TabInputText ? input.uri : undefined;
}

/** "reduced": shown with less; "withheld": handed to no extension. */
async function activeSize(): Promise<"full" | "reduced" | "withheld"> {
  const uri = activeUri();
  if (uri === undefined || !isRollout(uri.scheme, uri.path)) {
    return "full";
  }
  if (uri.scheme !== "file") {
    return "full"; // the text of a packed rollout, of which the size is not known before it is there
  }
  const document = workspace.textDocuments.find((each) => each.uri.toString() === uri.toString());
  if (document !== undefined) {
    const optimizations = workspace.getConfiguration("editor", document).get("largeFileOptimizations", true);
    return isReduced(characterCount(document), document.lineCount, optimizations) ? "reduced" : "full";
  }
  try {
    // A document may merely not be there yet; that it then is comes as an event of its own. And a
    // file has at least as many bytes as characters, so a small file is never told to be large.
    return (await workspace.fs.stat(uri)).size > MAX_SHARED_CHARACTERS ? "withheld" : "full";
  } catch {
    return "full";
  }
}

/** In UTF-16 units, without making one string of the document. */
function characterCount(document: TextDocument): number {
  return document.offsetAt(document.lineAt(document.lineCount - 1).range.end);
}
