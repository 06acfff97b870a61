// Opens a rollout in code-server with the packaged extension installed, and looks at the screen.
// Started by ./run, which brings the tools. Prints one line a check, and "N passed, N failed".
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { CALL_LINE, CUT_LINE, OUTPUT_LINE, longRollout, rollout } from "./rollout.mjs";

const { values: options } = parseArgs({
  options: {
    cache: { type: "string" },
    chromium: { type: "string" },
    python: { type: "string" },
    shots: { type: "string" },
    only: { type: "string" },
  },
});
const { chromium } = createRequire(join(options.cache, "package.json"))("playwright-core");
const PATIENCE_MS = 30_000;
const NAME = "rollout-2026-06-12T09-30-00-0199b000-0000-7000-8000-000000000001.jsonl";

let passed = 0;
let failed = 0;

/** A check: what should be so, and a function that throws or gives false when it is not. */
async function check(what, look) {
  try {
    if ((await look()) === false) throw new Error("it is not so");
    passed++;
    console.log(`ok      ${what}`);
  } catch (error) {
    failed++;
    console.log(`FAILED  ${what}: ${String(error.message ?? error).split("\n")[0]}`);
  }
}

/** Waits until `look` gives something truthy, and gives that. */
async function until(look, patience = PATIENCE_MS) {
  const end = Date.now() + patience;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error("waited in vain");
    await sleep(100);
  }
}

// ---------------------------------------------------------------------------------------------
// The editor

/** A new editor with the extension in a folder of its own; `machine` are settings of the machine. */
async function openEditor(machine, files) {
  const folder = mkdtempSync(join(tmpdir(), "rollout-e2e-"));
  const work = join(folder, "work");
  const data = join(folder, "data");
  for (const each of [work, join(data, "User"), join(data, "Machine")]) mkdirSync(each, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(work, name), text);
  const setMachine = (settings) => writeFileSync(join(data, "Machine", "settings.json"), JSON.stringify(settings));
  setMachine(machine);
  writeFileSync(join(data, "User", "settings.json"), JSON.stringify(USER_SETTINGS));
  writeFileSync(join(folder, "config.yaml"), "auth: none\n");

  const program = join(options.cache, "node_modules/code-server/out/node/entry.js");
  const paths = ["--config", join(folder, "config.yaml"), "--user-data-dir", data, "--extensions-dir", join(folder, "ext")];
  const env = { ...process.env, PATH: `${join(options.cache, "bin")}:${process.env.PATH}` };
  const vsix = join(options.cache, "rollout-ls.vsix");
  execFileSync(process.execPath, [program, ...paths, "--install-extension", vsix, "--force"], { env, stdio: "pipe" });

  const flags = [
    "--auth=none",
    "--bind-addr=127.0.0.1:0",
    "--disable-telemetry",
    "--disable-update-check",
    "--disable-workspace-trust",
    "--disable-getting-started-override",
    "--ignore-last-opened",
  ];
  // A process group of its own: otherwise extension host and language server outlive the server.
  const server = spawn(process.execPath, [program, ...paths, ...flags], { env, detached: true, stdio: "pipe" });
  let log = "";
  for (const stream of [server.stdout, server.stderr]) stream.on("data", (piece) => (log += piece));
  const port = await until(() => /HTTP server listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(log)?.[1]);

  const browser = await chromium.launch({
    executablePath: options.chromium,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
  });
  const context = await browser.newContext({ reducedMotion: "reduce", viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const address = (name) => {
    const payload = name ? [["openFile", `vscode-remote://127.0.0.1:${port}${join(work, name)}`]] : [];
    return `http://127.0.0.1:${port}/?folder=${work}&payload=${encodeURIComponent(JSON.stringify(payload))}`;
  };
  return {
    page,
    setMachine,
    path: (name) => join(work, name),
    open: (name) => page.goto(address(name)),
    async command(title) {
      await page.keyboard.press("F1");
      await page.locator(".quick-input-widget input").fill(`>${title}`);
      await page.locator(`.quick-input-list .monaco-list-row:has-text("${title}")`).first().waitFor();
      await page.keyboard.press("Enter");
    },
    async shot(name) {
      if (!options.shots) return;
      mkdirSync(options.shots, { recursive: true });
      await page.screenshot({ path: join(options.shots, `${name}.png`) });
    },
    /** The ids of the language server's processes that this editor started. */
    servers: () => descendants(server.pid).filter(({ command }) => command.includes("rollout_ls server")),
    async close() {
      await browser.close();
      try {
        process.kill(-server.pid, "SIGTERM");
      } catch {
        // it has ended by itself
      }
      await until(() => server.exitCode !== null || server.signalCode !== null).catch(() => {});
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
}

const USER_SETTINGS = {
  "security.workspace.trust.enabled": false,
  "workbench.startupEditor": "none",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.reduceMotion": "on",
  "workbench.editorLargeFileConfirmation": 1024,
  "chat.disableAIFeatures": true,
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "extensions.autoUpdate": false,
  "extensions.ignoreRecommendations": true,
};

/** All processes below `pid`, as {pid, command}. */
function descendants(pid) {
  const lines = execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" }).split("\n");
  const all = lines.map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line)).filter(Boolean);
  const found = [];
  const below = new Set([pid]);
  for (let grown = true; grown; ) {
    grown = false;
    for (const [, id, parent, command] of all) {
      if (below.has(Number(parent)) && !below.has(Number(id))) {
        below.add(Number(id));
        found.push({ pid: Number(id), command });
        grown = true;
      }
    }
  }
  return found;
}

/** Runs one story in an editor of its own; its failure to set up is a failed check. */
async function story(name, machine, files, play) {
  if (options.only && !name.includes(options.only)) return;
  console.log(`-- ${name}`);
  let editor;
  try {
    editor = await openEditor(machine, files);
    await play(editor);
  } catch (error) {
    await check(name, () => {
      throw error;
    });
  } finally {
    await editor?.shot(`${name.replaceAll(" ", "-")}-end`).catch(() => {});
    await editor?.close();
  }
}

const text = (page, selector) => page.locator(selector).allInnerTexts().then((texts) => texts.join("\n"));

/** The line of the editor that shows a record, by the record's line number from 1. */
const line = (page, number) => page.locator(`.editor-instance .view-line >> nth=${number - 1}`);

async function putCursorOn(page, number) {
  await page.keyboard.press("Control+g");
  await page.locator(".quick-input-widget input").fill(`:${number}:20`);
  await page.keyboard.press("Enter");
  await statusSays(page, `Ln ${number}, Col 20`);
}

const statusSays = (page, words) => page.locator(`.statusbar-item:has-text("${words}")`).first().waitFor({ timeout: PATIENCE_MS });

/** Notifications, read in their center: a toast may be gone before one looks. */
async function notifications(editor) {
  await editor.command("Notifications: Show Notifications");
  await editor.page.locator(".notifications-center .notification-list-item").first().waitFor({ timeout: PATIENCE_MS });
  return editor.page.locator(".notifications-center .notification-list-item").allInnerTexts();
}

/** What the language status says, which is shown while the mouse is on the braces. */
async function languageStatus(page) {
  await page.mouse.move(600, 500);
  await page.locator("#status\\.languageStatus").hover();
  const item = page.locator(".hover-language-status").first();
  await item.waitFor({ timeout: PATIENCE_MS });
  return text(page, ".hover-language-status");
}

// ---------------------------------------------------------------------------------------------
// The stories

await story("a rollout", { "rollout.python": options.python }, { [NAME]: rollout(), "notes.jsonl": '{"a":1}\n' }, async (editor) => {
  const { page } = editor;
  await editor.open("notes.jsonl");
  await page.locator(".editor-instance .view-line").first().waitFor({ timeout: PATIENCE_MS });
  await sleep(3_000); // the extension is activated by the language, and should do nothing
  await check("without a rollout no server runs", () => editor.servers().length === 0);

  await editor.open(NAME);
  await page.locator(".editor-instance .view-line").first().waitFor({ timeout: PATIENCE_MS });
  await check("the cut line has a squiggle", () =>
    page.locator(".squiggly-error").first().waitFor({ timeout: PATIENCE_MS }));
  await check("one server runs", () => editor.servers().length === 1);
  await check("the file keeps its language", () => statusSays(page, "JSON Lines"));
  await editor.shot("squiggle");
  await check("the language status says that it runs", async () => {
    const said = await languageStatus(page);
    await editor.shot("status");
    return /Rollout[^]*running/.test(said);
  });

  await check("a hover shows the call, decoded", async () => {
    await page.mouse.move(600, 500);
    await line(page, CALL_LINE).hover({ position: { x: 200, y: 8 } });
    // A space in code is a no-break space on the screen.
    await until(async () => /pytest\s-q\stests/.test(await text(page, ".monaco-hover:not(.hidden) .hover-contents")));
    await editor.shot("hover");
  });
  await page.keyboard.press("Escape");

  await line(page, OUTPUT_LINE).click({ position: { x: 100, y: 8 } });
  await putCursorOn(page, OUTPUT_LINE);
  await check("F12 on the output goes to its call", async () => {
    await page.keyboard.press("F12");
    await statusSays(page, `Ln ${CALL_LINE}, `);
  });
  await check("F12 on the call goes back to its output", async () => {
    await page.keyboard.press("F12");
    await statusSays(page, `Ln ${OUTPUT_LINE}, `);
  });

  await check("the outline shows the turn with its words, and the call with its end", async () => {
    await editor.command("Focus on Outline View");
    for (const words of ["Turn 1: Why does the kettle test fail?", "shell call_kettle -> failed (exit 1)"]) {
      await page.locator(`.outline-pane .monaco-list-row:has-text("${words}")`).waitFor({ timeout: PATIENCE_MS });
    }
    await editor.shot("outline");
  });

  await check("Problems lists the cut line", async () => {
    await editor.command("Problems: Focus on Problems View");
    await page.locator(`.markers-panel .monaco-list-row:has-text("Ln ${CUT_LINE}")`).first().waitFor({ timeout: PATIENCE_MS });
    await editor.shot("problems");
  });

  await check("the server that broke off is started anew", async () => {
    const [{ pid }] = editor.servers();
    process.kill(pid, "SIGKILL");
    await until(() => editor.servers().length === 1 && editor.servers()[0].pid !== pid);
    await page.locator(".squiggly-error").first().waitFor({ timeout: PATIENCE_MS });
  });
  await check("and after the fourth time it stays off, with one message", async () => {
    for (let times = 0; times < 3; times++) {
      const [{ pid }] = await until(() => editor.servers().length === 1 && editor.servers());
      await sleep(2_500); // let it get as far as "running"
      process.kill(pid, "SIGKILL");
      await until(() => editor.servers()[0]?.pid !== pid);
    }
    const said = await notifications(editor);
    await editor.shot("broke-off");
    await sleep(3_000);
    return said.length === 1 && /broke off 4 times/.test(said[0]) && editor.servers().length === 0;
  });
  await check("the command starts it again", async () => {
    await page.keyboard.press("Escape");
    await editor.command("Rollout: Restart Server");
    await until(() => editor.servers().length === 1);
    await page.locator(".squiggly-error").first().waitFor({ timeout: PATIENCE_MS });
  });
  await check("the file on disk is what it was", () => readFileSync(editor.path(NAME), "utf8") === rollout());
});

await story("no server", { "rollout.python": "/usr/bin/env" }, { [NAME]: rollout() }, async (editor) => {
  const { page } = editor;
  await editor.open(NAME);
  await page.locator(".editor-instance .view-line").first().waitFor({ timeout: PATIENCE_MS });
  await check("one message says what is wrong", async () => {
    const said = await notifications(editor);
    await editor.shot("no-server");
    return said.length === 1 && said[0].includes('"/usr/bin/env" cannot run rollout-ls');
  });
  await check("its buttons lead on", async () => {
    const buttons = await text(page, ".notifications-center .monaco-button, .notifications-center .monaco-text-button");
    return buttons.includes("Open Settings") && buttons.includes("Copy Install Command");
  });
  await check("it is not said again for the same file", async () => {
    await sleep(3_000);
    return (await page.locator(".notifications-center .notification-list-item").count()) === 1;
  });
  await check("a better setting is enough to start it", async () => {
    editor.setMachine({ "rollout.python": options.python });
    await page.locator(".squiggly-error").first().waitFor({ timeout: PATIENCE_MS });
  });
});

const big = { "rollout-21mb.jsonl": longRollout(21), "rollout-60mb.jsonl": longRollout(60) };
await story("big files", { "rollout.python": options.python }, big, async (editor) => {
  const { page } = editor;
  await editor.open("rollout-21mb.jsonl");
  await check("above 20 MB there are squiggles, and the language status says what is left out", async () => {
    await page.locator(".squiggly-error").first().waitFor({ timeout: 2 * PATIENCE_MS });
    const said = await until(async () => /Large rollout/.test(await languageStatus(page)) && languageStatus(page));
    await editor.shot("over-20-mb");
    return /running/.test(said);
  });
  await editor.open("rollout-60mb.jsonl");
  await page.locator(".editor-instance .view-line").first().waitFor({ timeout: 2 * PATIENCE_MS });
  await check("above 50 MB the status bar says so, and no server is started", async () => {
    await statusSays(page, "Rollout over 50 MB");
    await editor.shot("over-50-mb");
    return editor.servers().length === 0;
  });
});

await story("a server that dies", { "rollout.server.command": ["/bin/false"] }, { [NAME]: rollout() }, async (editor) => {
  await editor.open(NAME);
  await editor.page.locator(".editor-instance .view-line").first().waitFor({ timeout: PATIENCE_MS });
  await check("a server that ends at once is told in one message", async () => {
    await sleep(2_000);
    const said = await notifications(editor);
    await editor.shot("dies");
    return said.length === 1 && said[0].includes("/bin/false: exit code 1");
  });
});

console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
