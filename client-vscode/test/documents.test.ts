import assert from "node:assert/strict";
import { test } from "node:test";
import { isRollout, isReduced } from "../src/documents";

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
