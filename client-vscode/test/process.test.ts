import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { check, endProcess, startProcess } from "../src/process";

const node = (script: string, timeoutMs = 20_000) => check(process.execPath, ["-e", script], tmpdir(), timeoutMs);

test("a version is read", async () => {
  assert.deepEqual(await node("console.log('rollout-ls 1.2.3')"), { kind: "ok", version: "rollout-ls 1.2.3" });
});

test("a failure keeps its code and its words", async () => {
  const outcome = await node("console.error('No module named rollout_ls'); process.exitCode = 7");
  assert.deepEqual(outcome, { kind: "exit", status: "exit code 7", stderr: "No module named rollout_ls\n" });
});

test("of endless output only the end is kept", async () => {
  const outcome = await node("process.stderr.write('x'.repeat(1e6) + 'end'); process.exitCode = 1");
  assert.ok(outcome.kind === "exit" && outcome.stderr.length <= 16 * 1024 && outcome.stderr.endsWith("end"));
});

test("a program that never ends is given up", async () => {
  assert.deepEqual(await node("setInterval(() => {}, 1000)", 300), { kind: "timeout", seconds: 0 });
});

test("a program that waits for input gets its end", async () => {
  assert.equal((await node("process.stdin.resume()")).kind, "ok");
});

test("a program that is not there is told by its code", async () => {
  assert.deepEqual(await check("no-such-program-anywhere", [], tmpdir(), 1000), {
    kind: "unstartable",
    code: "ENOENT",
  });
  assert.equal((await check(tmpdir(), [], tmpdir(), 1000)).kind, "unstartable");
});

test("Python is told not to import from the current folder", async () => {
  assert.deepEqual(await node("console.log(process.env.PYTHONSAFEPATH)"), { kind: "ok", version: "1" });
});

test("a process that does not end by itself is killed, one that did is left alone", async () => {
  const child = await startProcess(process.execPath, ["-e", "setInterval(() => {}, 1000)"], tmpdir());
  await endProcess(child, 50);
  assert.equal(child.signalCode, "SIGKILL");
  await endProcess(child, 50);
});
