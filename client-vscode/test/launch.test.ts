import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Launch,
  type Outcome,
  checkProblem,
  chooseLaunch,
  installCommand,
  isProblem,
  startProblem,
} from "../src/launch";

const LINUX = { windows: false, home: "/home/ada" };
const WINDOWS = { windows: true, home: "C:\\Users\\ada" };

function launch(python: string, command: string[] = [], machine = LINUX): Launch {
  const chosen = chooseLaunch({ python, command }, machine);
  assert.ok(!isProblem(chosen), JSON.stringify(chosen));
  return chosen;
}

function refusal(python: string, command: string[] = []): string {
  const chosen = chooseLaunch({ python, command }, LINUX);
  assert.ok(isProblem(chosen), JSON.stringify(chosen));
  return chosen.message;
}

test("without settings the platform's Python starts the server", () => {
  assert.deepEqual(launch(""), {
    program: "python3",
    args: ["-m", "rollout_ls", "server"],
    check: ["-m", "rollout_ls", "--version"],
  });
  assert.equal(launch("", [], WINDOWS).program, "python");
  assert.equal(launch("   ").program, "python3");
});

test("the setting names the interpreter, from the home folder too", () => {
  assert.equal(launch("/opt/venv/bin/python").program, "/opt/venv/bin/python");
  assert.equal(launch("python3.13").program, "python3.13");
  assert.equal(launch("~/venv/bin/python").program, "/home/ada/venv/bin/python");
  assert.equal(launch(" /opt/python ").program, "/opt/python");
});

test("a whole command is taken as it is, and not checked", () => {
  assert.deepEqual(launch("/ignored/python", ["~/bin/rollout-ls", "server", "--x y"]), {
    program: "/home/ada/bin/rollout-ls",
    args: ["server", "--x y"],
    check: undefined,
  });
});

test("a relative path is refused: it would mean another program in each folder", () => {
  assert.match(refusal("venv/bin/python"), /rollout\.python must be an absolute path/);
  assert.match(refusal("./python"), /absolute path/);
  assert.match(refusal("..\\python.exe"), /absolute path/);
  assert.match(refusal("", ["bin/rollout-ls", "server"]), /rollout\.server\.command must be an absolute path/);
  assert.match(refusal("", [" "]), /rollout\.server\.command names no program/);
});

test("the install command is for the interpreter that was asked", () => {
  assert.equal(installCommand("python3"), "python3 -m pip install path/to/the/rollout-ls/checkout");
  assert.equal(installCommand("/my venv/python"), '"/my venv/python" -m pip install path/to/the/rollout-ls/checkout');
});

test("a check that ends well is no problem", () => {
  assert.equal(checkProblem(launch(""), { kind: "ok", version: "rollout-ls 0.1.0" }), undefined);
});

test("each way to fail has its own words, and the install command where it cures", () => {
  const exit = (stderr: string): Outcome => ({ kind: "exit", status: "exit code 1", stderr });
  const cases: [Outcome, RegExp, boolean][] = [
    [{ kind: "unstartable", code: "ENOENT" }, /there is no program "python3"/, true],
    [{ kind: "unstartable", code: "EACCES" }, /"python3" cannot be run \(EACCES\)/, false],
    [{ kind: "timeout", seconds: 20 }, /within 20 seconds/, false],
    [exit("/usr/bin/python3: No module named rollout_ls\n"), /has no rollout-ls\. Install it/, true],
    [exit("ModuleNotFoundError: No module named 'rollout_ls'"), /has no rollout-ls/, true],
    [exit("Traceback:\n  x\nModuleNotFoundError: No module named 'pygls'\n"), /\(exit code 1\): Module.*'pygls'/, true],
    [exit(""), /cannot run rollout-ls \(exit code 1\)\. The output has more/, true],
  ];
  for (const [outcome, words, installs] of cases) {
    const problem = checkProblem(launch(""), outcome);
    assert.match(problem?.message ?? "", words);
    assert.equal(problem?.install, installs ? "python3 -m pip install path/to/the/rollout-ls/checkout" : undefined);
    assert.ok(!problem?.message.includes("\n"), "a notification is one line");
  }
});

test("a long last line is cut", () => {
  const problem = checkProblem(launch(""), { kind: "exit", status: "SIGABRT", stderr: "x".repeat(5000) });
  assert.ok((problem?.message.length ?? 0) < 400);
});

test("a failed start names the setting that chose the program", () => {
  assert.match(startProblem(launch(""), "exit code 3").message, /python3: exit code 3.*rollout\.python/);
  assert.match(startProblem(launch("", ["x"]), "ENOENT").message, /x: ENOENT.*rollout\.server\.command/);
});
