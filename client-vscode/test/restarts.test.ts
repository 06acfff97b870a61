import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_RESTARTS, Restarts, WINDOW_MS } from "../src/restarts";

test("no more than three restarts within three minutes", () => {
  const restarts = new Restarts();
  const taken = Array.from({ length: 10 }, (_, i) => restarts.take(i * 1000));
  assert.equal(taken.filter(Boolean).length, MAX_RESTARTS);
  assert.deepEqual(taken.slice(0, 4), [true, true, true, false]);
});

test("old restarts no longer count, and a refused one never did", () => {
  const restarts = new Restarts();
  for (const now of [0, 1, 2, 3, WINDOW_MS - 1]) restarts.take(now);
  assert.ok(restarts.take(WINDOW_MS));
  assert.ok(restarts.take(WINDOW_MS + 1));
});

test("a person's restart forgets them", () => {
  const restarts = new Restarts();
  while (restarts.take(0));
  restarts.clear();
  assert.ok(restarts.take(0));
});
