import assert from "node:assert/strict";
import { test } from "node:test";
import { isReduced, isRollout, sessionPath, sourceOf, textPath } from "../src/documents";

test("rollouts go by name and scheme", () => {
  const name = "rollout-2026-06-12T09-30-00-0199aaaa-0000-7000-8000-000000000001.jsonl";
  for (const path of [`/home/ada/.codex/sessions/2026/06/12/${name}`, `c:\\x\\${name}`, name, "/x/rollout-.jsonl"]) {
    assert.ok(isRollout("file", path), path);
  }
  for (const path of [
    "/x/my-rollout-1.jsonl",
    "/x/rollout.jsonl",
    "/x/rollout-1.json",
    "/x/rollout-1.jsonl.zst",
    "/rollout-dir.jsonl/notes.txt",
    "/rollout-dir/x.jsonl",
  ]) {
    assert.ok(!isRollout("file", path), path);
  }
  assert.ok(!isRollout("git", `/x/${name}`));
  assert.ok(!isRollout("untitled", name));
});

test("the editor leaves things out above 20 MB or 300,000 lines, unless it is told not to", () => {
  const limit = 20 * 1024 * 1024;
  assert.ok(!isReduced(limit, 300_000, true));
  assert.ok(isReduced(limit + 1, 1, true));
  assert.ok(isReduced(1, 300_001, true));
  assert.ok(!isReduced(limit + 1, 300_001, false));
});

test("readable documents are named after their rollout, and lead back to it", () => {
  const file = { scheme: "file", path: "/home/ada/rollout-1.jsonl" };
  assert.equal(sessionPath(file), "/session/home/ada/rollout-1.jsonl.md");
  assert.deepEqual(sourceOf({ scheme: "rollout-read", path: sessionPath(file) }), file);
  const packed = { scheme: "rollout-read", path: textPath("/c:/x/rollout-1.jsonl.zst") };
  assert.equal(packed.path, "/text/c:/x/rollout-1.jsonl");
  assert.ok(isRollout(packed.scheme, packed.path));
  assert.deepEqual(sourceOf({ scheme: "rollout-read", path: sessionPath(packed) }), packed);
  assert.deepEqual(sourceOf({ scheme: "rollout-read", path: "/turn/3/home/ada/rollout-1.jsonl.md" }), file);
  assert.deepEqual(sourceOf({ scheme: "rollout-read", path: "/record/12/home/ada/rollout-1.jsonl.json" }), file);
  assert.equal(sourceOf(packed), undefined);
  assert.equal(sourceOf(file), undefined);
  assert.ok(!isRollout("rollout-read", sessionPath(file)));
});
