// Which documents are rollouts, and what the editor leaves out on big ones.
// Pure: knows nothing of the vscode module.

/** The scheme of the documents that the server makes: sessions and turns to read, texts of packed rollouts. */
export const READ_SCHEME = "rollout-read";

/** Rollouts, whatever their language id: on disk, and the text of packed ones. */
export const ROLLOUTS = [
  { scheme: "file", pattern: "**/rollout-*.jsonl" },
  { scheme: READ_SCHEME, pattern: "**/rollout-*.jsonl" },
];

/** What the server is asked about: rollouts, and the way back from what it made of them. */
export const SELECTOR = [ROLLOUTS[0]!, { scheme: READ_SCHEME }];

const NAME = /(?:^|[\\/])rollout-[^\\/]*\.jsonl$/;

/** Says of a document's scheme and path what {@link ROLLOUTS} says of the document. */
export function isRollout(scheme: string, path: string): boolean {
  return (scheme === "file" || (scheme === READ_SCHEME && path.startsWith("/text/"))) && NAME.test(path);
}

/** A scheme and a path of a URI. */
export interface Spot {
  readonly scheme: string;
  readonly path: string;
}

/** The path of the readable session of a rollout, below {@link READ_SCHEME}. */
export function sessionPath({ scheme, path }: Spot): string {
  return scheme === READ_SCHEME ? `/session${path.slice("/text".length)}.zst.md` : `/session${path}.md`;
}

/** The path of the text of a packed rollout: without `.zst`, or the editor for packed ones would open it again. */
export function textPath(path: string): string {
  return `/text${path.replace(/\.zst$/, "")}`;
}

/** The rollout that a readable document tells of; undefined for every other document. */
export function sourceOf({ scheme, path }: Spot): Spot | undefined {
  const match = /^\/(?:session|turn\/[^/]+|record\/[^/]+)(\/.*)\.(?:md|json)$/.exec(path);
  if (scheme !== READ_SCHEME || match === null) {
    return undefined;
  }
  const file = match[1]!;
  return file.endsWith(".zst") ? { scheme: READ_SCHEME, path: textPath(file) } : { scheme: "file", path: file };
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
