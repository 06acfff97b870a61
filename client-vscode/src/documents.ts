// Which documents are rollouts, and what the editor leaves out on big ones.
// Pure: knows nothing of the vscode module.

/** What the server is asked about: rollouts on disk, whatever their language id. */
export const ROLLOUTS = { scheme: "file", pattern: "**/rollout-*.jsonl" };

/** Says of a document's scheme and path what {@link ROLLOUTS} says of the document. */
export function isRollout(scheme: string, path: string): boolean {
  return scheme === ROLLOUTS.scheme && /(?:^|[\\/])rollout-[^\\/]*\.jsonl$/.test(path);
}

// The editor's own limits, as of VS Code 1.139. The first two are those of "large file
// optimizations", the last one decides whether extensions get to see a document at all.
const MAX_FULL_CHARACTERS = 20 * 1024 * 1024;
const MAX_FULL_LINES = 300_000;
export const MAX_SHARED_CHARACTERS = 50 * 1024 * 1024;

export interface Note {
  readonly text: string;
  readonly detail: string;
}

/** What to tell about an open document of this size (in UTF-16 units and lines), if anything. */
export function sizeNote(characters: number, lines: number, optimizations: boolean): Note | undefined {
  if (!optimizations || (characters <= MAX_FULL_CHARACTERS && lines <= MAX_FULL_LINES)) {
    return undefined;
  }
  return {
    text: "Large rollout",
    detail: "no folding, code lenses and inlay hints: see the setting editor.largeFileOptimizations",
  };
}

/** What to tell about a file that the editor shows, but hands to no extension. */
export const TOO_LARGE: Note = {
  text: "Rollout over 50 MB",
  detail: "the editor hands no extension a file of this size: run `rollout-ls check` in a terminal",
};
