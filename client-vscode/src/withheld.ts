// Rollouts over 50 MB, of which the editor hands extensions nothing: said once, their findings
// come from the disk, and they can be read. Asks for nothing until such a tab is there.
import { type Disposable, type FileSystemWatcher, RelativePattern, TabInputText, Uri, commands, window, workspace } from "vscode";
import type { Server } from "./server";

const REST_MS = 3_000;
const READ_SESSION = "Read Session";
const PICK_TURN = "Pick Turn";

/** The tabs of this window that were found withheld. */
export class Withheld implements Disposable {
  readonly #needed: () => Promise<Server>;
  readonly #watched = new Map<string, FileSystemWatcher>();
  readonly #said = new Set<string>();
  readonly #due = new Map<string, NodeJS.Timeout>();
  readonly #listener: Disposable;

  constructor(needed: () => Promise<Server>) {
    this.#needed = needed;
    this.#listener = window.tabGroups.onDidChangeTabs(() => this.#forgetClosed());
  }

  /** A tab shows such a file. */
  see(uri: Uri): void {
    const name = uri.toString();
    if (this.#watched.has(name)) {
      return;
    }
    const slash = uri.path.lastIndexOf("/");
    const pattern = new RelativePattern(uri.with({ path: uri.path.slice(0, slash) }), uri.path.slice(slash + 1));
    const watcher = workspace.createFileSystemWatcher(pattern);
    watcher.onDidChange(() => this.#checkSoon(uri));
    this.#watched.set(name, watcher);
    void this.#check(uri);
    if (!this.#said.has(name)) {
      this.#said.add(name);
      void this.#say();
    }
  }

  /** A new server runs, which knows of none of them. */
  again(): void {
    for (const name of this.#watched.keys()) void this.#check(Uri.parse(name));
  }

  async #say(): Promise<void> {
    const message =
      "Rollout: this file is over 50 MB, so VS Code hands no extension its text. Its findings are in Problems, read " +
      "from the disk; hovers, jumps and the outline are not to be had, but the session and its turns can be read.";
    const choice = await window.showInformationMessage(message, READ_SESSION, PICK_TURN);
    if (choice === READ_SESSION) await commands.executeCommand("rollout.readSession");
    if (choice === PICK_TURN) await commands.executeCommand("rollout.pickTurn");
  }

  async #check(uri: Uri): Promise<void> {
    await (await this.#needed()).tell("rollout/checkFile", { textDocument: { uri: uri.toString() } });
  }

  /** A file that grows is looked at once in a while. */
  #checkSoon(uri: Uri): void {
    const name = uri.toString();
    if (this.#due.has(name)) {
      return;
    }
    const timer = setTimeout(() => {
      this.#due.delete(name);
      if (this.#watched.has(name)) void this.#check(uri);
    }, REST_MS);
    this.#due.set(name, timer);
  }

  #forgetClosed(): void {
    const open = new Set<string>();
    for (const { input } of window.tabGroups.all.flatMap((group) => group.tabs)) {
      if (input instanceof TabInputText) open.add(input.uri.toString());
    }
    for (const [name, watcher] of this.#watched) {
      if (open.has(name)) continue;
      watcher.dispose();
      this.#watched.delete(name);
      void this.#needed().then((server) => server.tell("rollout/forgetFile", { textDocument: { uri: name } }));
    }
  }

  dispose(): void {
    this.#listener.dispose();
    for (const watcher of this.#watched.values()) watcher.dispose();
    for (const timer of this.#due.values()) clearTimeout(timer);
  }
}
