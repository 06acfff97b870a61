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

/** Whether the editor leaves something out for an open document of this size (in UTF-16 units and lines). */
export function isReduced(characters: number, lines: number, optimizations: boolean): boolean {
  return optimizations && (characters > MAX_FULL_CHARACTERS || lines > MAX_FULL_LINES);
}
