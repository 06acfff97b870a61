// Runs the programs that launch.ts names. Node only: knows nothing of the vscode module.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { Outcome } from "./launch";

/** Output of a check beyond this is cut: it should be one line. */
const MAX_OUTPUT = 16 * 1024;
const MAX_VERSION = 100;

/**
 * Starts a program with pipes. Rejects with node's error (`ENOENT` ...) when it cannot be started.
 *
 * `cwd` must be a folder nobody but us writes to: `python -m` imports from it first, and Windows
 * looks there for the program, so a workspace's folder would run whatever lies in the workspace.
 */
export function startProcess(
  program: string,
  args: readonly string[],
  cwd: string,
): Promise<ChildProcessWithoutNullStreams> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, PYTHONSAFEPATH: "1" },
      windowsHide: true,
    });
    child.once("error", reject);
    child.once("spawn", () => {
      child.off("error", reject);
      child.on("error", () => {}); // a failing kill is no reason to end the editor's extension host
      child.stdin.on("error", () => {}); // writing to a program that is gone: its end is told by "close"
      resolve(child);
    });
  });
}

/** Runs a program that should print a version and end. Never rejects. */
export async function check(
  program: string,
  args: readonly string[],
  cwd: string,
  timeoutMs: number,
): Promise<Outcome> {
  let child: ChildProcessWithoutNullStreams;
  try {
    child = await startProcess(program, args, cwd);
  } catch (error) {
    return { kind: "unstartable", code: errorCode(error) };
  }
  child.stdin.end();
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      // Not at its "close": a grandchild may hold the pipes open for ever.
      resolve({ kind: "timeout", seconds: Math.round(timeoutMs / 1000) });
    }, timeoutMs);
    const stdout = collect(child.stdout);
    const stderr = collect(child.stderr);
    child.once("close", (code, signal) => {
      clearTimeout(timer);
      resolve(
        code === 0
          ? { kind: "ok", version: stdout().trim().slice(0, MAX_VERSION) }
          : { kind: "exit", status: signal ?? `exit code ${code}`, stderr: stderr() },
      );
    });
  });
}

function collect(stream: NodeJS.ReadableStream): () => string {
  let text = "";
  stream.setEncoding("utf8");
  stream.on("data", (piece: string) => {
    text = (text + piece).slice(-MAX_OUTPUT);
  });
  return () => text;
}

/** Waits until the process is gone; kills it when it has not ended by itself in time. */
export async function endProcess(child: ChildProcessWithoutNullStreams, patienceMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) {
    return;
  }
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => child.kill("SIGKILL"), patienceMs);
    child.once("exit", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

export function errorCode(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return String(code ?? message ?? error);
}
