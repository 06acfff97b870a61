// The commands: steps through a session, documents to read, ids to copy. What they do is worked
// out by the server; here it is shown. Never changes a document.
import {
  type Disposable,
  type QuickPickItem,
  type TextEditor,
  TextEditorRevealType,
  ThemeIcon,
  Uri,
  Range,
  Selection,
  commands,
  env,
  window,
} from "vscode";
import { READ_SCHEME, isRollout, sessionPath, sourceOf } from "./documents";
import type { Server } from "./server";
import { activeUri } from "./status";

/** `rollout/turns` of the server. */
interface Story {
  readonly read: string;
  readonly threadId: string | null;
  readonly resume: string | null;
  readonly turns: readonly {
    readonly number: number | null;
    readonly name: string;
    readonly detail: string;
    readonly line: number;
    readonly endLine: number;
    readonly read: string;
  }[];
}

interface Position {
  readonly line: number;
  readonly character: number;
}

type Ask = <T>(method: string, params: object) => Promise<T | undefined>;

const SAID_MS = 4_000;
const READ = { iconPath: new ThemeIcon("book"), tooltip: "Read This Turn" };

/** Registers all commands; `needed` gives the server, which is started for them. */
export function registerActions(needed: () => Promise<Server>): Disposable[] {
  const ask: Ask = async (method, params) => (await needed()).ask(method, params);
  const step = (to: string) => () => takeStep(ask, to);
  const actions: Record<string, (...args: never[]) => unknown> = {
    "rollout.nextTurn": step("next turn"),
    "rollout.previousTurn": step("previous turn"),
    "rollout.nextFailedCall": step("next failed call"),
    "rollout.goToPartner": step("partner"),
    "rollout.readSession": () => readSession(ask),
    "rollout.readTurn": () => readHere(ask, "turn"),
    "rollout.readRecord": () => readHere(ask, "record"),
    "rollout.pickTurn": () => pickTurn(ask),
    "rollout.copyThreadId": () => copy(ask, (story) => story.threadId),
    "rollout.copyResumeCommand": () => copy(ask, (story) => story.resume),
    "rollout.goTo": (uri: string, row: number) => goTo(Uri.parse(uri), row),
  };
  return Object.entries(actions).map(([name, run]) => commands.registerCommand(name, run));
}

/** The rollout before the user's eyes: in the active tab, or the one that the document there tells of. */
function activeRollout(): Uri | undefined {
  const uri = activeUri();
  if (uri === undefined || isRollout(uri.scheme, uri.path)) {
    return uri;
  }
  const source = sourceOf(uri);
  return source === undefined ? undefined : Uri.from(source);
}

/** The editor of the active tab, if that shows a rollout which the editor hands to extensions. */
function rolloutEditor(): TextEditor | undefined {
  const editor = window.activeTextEditor;
  return editor !== undefined && isRollout(editor.document.uri.scheme, editor.document.uri.path) ? editor : undefined;
}

function say(text: string): void {
  window.setStatusBarMessage(`Rollout: ${text}`, SAID_MS);
}

async function takeStep(ask: Ask, to: string): Promise<void> {
  const editor = rolloutEditor();
  if (editor === undefined) {
    if (to === "partner" && window.activeTextEditor !== undefined) {
      await commands.executeCommand("editor.action.revealDefinition");
    } else {
      say("no rollout with a cursor here");
    }
    return;
  }
  const params = { ...here(editor), to };
  const found = await ask<{ range: { start: Position } }>("rollout/step", params);
  if (found === undefined) {
    say(to === "partner" ? "nothing belongs to this record" : `no ${to} from here`);
  } else {
    reveal(editor, found.range.start);
  }
}

function here(editor: TextEditor): object {
  const { line, character } = editor.selection.active;
  return { textDocument: { uri: editor.document.uri.toString() }, position: { line, character } };
}

function reveal(editor: TextEditor, { line, character }: Position): void {
  editor.selection = new Selection(line, character, line, character);
  editor.revealRange(new Range(line, 0, line, 0), TextEditorRevealType.InCenterIfOutsideViewport);
}

async function goTo(uri: Uri, row: number): Promise<void> {
  await window.showTextDocument(uri, { selection: new Range(row, 0, row, 0) });
}

async function readSession(ask: Ask): Promise<void> {
  const uri = activeRollout();
  const line = rolloutEditor()?.selection.active.line ?? 0;
  if (uri === undefined) {
    say("no rollout here");
  } else {
    const page = Uri.from({ scheme: READ_SCHEME, path: sessionPath(uri) });
    await show(page);
    if (line > 0) await revealTold(ask, page, line);
  }
}

/** `vscode.open` and not showTextDocument: the rollout itself may be one that no extension gets. */
async function show(uri: Uri): Promise<void> {
  await commands.executeCommand("vscode.open", uri);
}

/** Puts the cursor of a readable document on what tells of a row of its rollout. */
async function revealTold(ask: Ask, uri: Uri, line: number): Promise<void> {
  const row = await ask<number>("rollout/readableRow", { uri: uri.toString(), line });
  const editor = window.activeTextEditor;
  if (row !== undefined && editor?.document.uri.toString() === uri.toString()) {
    editor.selection = new Selection(row, 0, row, 0);
    editor.revealRange(new Range(row, 0, row, 0), TextEditorRevealType.AtTop);
  }
}

async function readHere(ask: Ask, what: "turn" | "record"): Promise<void> {
  const editor = rolloutEditor();
  if (editor === undefined) {
    return pickTurn(ask); // without a cursor one is asked
  }
  const found = await ask<{ uri: string }>("rollout/readableUri", { ...here(editor), what });
  if (found === undefined) {
    say(`no ${what} here`);
    return;
  }
  const uri = Uri.parse(found.uri);
  const { line } = editor.selection.active;
  await show(uri);
  await revealTold(ask, uri, line);
}

async function storyOf(ask: Ask): Promise<Story | undefined> {
  const uri = activeRollout();
  const story = uri && (await ask<Story>("rollout/turns", { textDocument: { uri: uri.toString() } }));
  if (story === undefined) {
    say("no session that can be read here");
  }
  return story;
}

async function copy(ask: Ask, wanted: (story: Story) => string | null): Promise<void> {
  const story = await storyOf(ask);
  if (story === undefined) {
    return;
  }
  const text = wanted(story);
  if (text === null) {
    say("this session has no id");
  } else {
    await env.clipboard.writeText(text);
    say(`copied ${text}`);
  }
}

async function pickTurn(ask: Ask): Promise<void> {
  const editor = rolloutEditor();
  const story = await storyOf(ask);
  if (story === undefined) {
    return;
  }
  const pick = window.createQuickPick<QuickPickItem & { turn: Story["turns"][number] }>();
  pick.placeholder = editor === undefined ? "Read a turn" : "Go to a turn";
  pick.matchOnDescription = true;
  pick.items = story.turns.map((turn) => ({
    label: turn.name,
    description: turn.detail,
    turn,
    buttons: editor === undefined ? [] : [READ],
  }));
  const row = editor?.selection.active.line ?? -1;
  const current = pick.items.findLast(({ turn }) => turn.line <= row);
  if (current !== undefined) {
    pick.activeItems = [current];
  }
  pick.onDidTriggerItemButton(({ item }) => {
    pick.hide();
    void show(Uri.parse(item.turn.read));
  });
  pick.onDidAccept(() => {
    const turn = pick.selectedItems[0]?.turn;
    pick.hide();
    if (turn === undefined) return;
    if (editor === undefined) void show(Uri.parse(turn.read));
    else void goTo(editor.document.uri, turn.line);
  });
  pick.onDidHide(() => pick.dispose());
  pick.show();
}
