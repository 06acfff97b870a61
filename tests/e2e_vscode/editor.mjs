// VS Code (code-server) with the packaged extension, in a headless Chromium: opened, looked at, closed.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";

export const { values: options } = parseArgs({
  options: {
    cache: { type: "string" },
    chromium: { type: "string" },
    python: { type: "string" },
    shots: { type: "string" },
    only: { type: "string" },
  },
});
const { chromium } = createRequire(join(options.cache, "package.json"))("playwright-core");
export const PATIENCE_MS = 30_000;

/** Waits until `look` gives something truthy, and gives that. */
export async function until(look, patience = PATIENCE_MS) {
  const end = Date.now() + patience;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error("waited in vain");
    await sleep(100);
  }
}

/**
 * A new editor with the extension in a folder of its own; `machine` are settings of the machine. `host` is the folder
 * of an extension whose tests are to be run in the extension host.
 */
export async function openEditor(machine, files, host = undefined) {
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
  const hostResult = join(folder, "host.json");
  const env = { ...process.env, ROLLOUT_HOST_RESULT: hostResult, PATH: `${join(options.cache, "bin")}:${process.env.PATH}` };
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
    ...(host === undefined ? [] : ["--vscode-option", "enable-smoke-test-driver"]),
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
    /** Runs the tests in the extension host; what each came to, as {name, error}. */
    async runHostTests() {
      await page.exposeFunction("codeAutomationLog", () => {});
      const ended = new Promise((resolve) => void page.exposeFunction("codeAutomationExit", resolve));
      const remote = `vscode-remote://127.0.0.1:${port}${host}`;
      const payload = [["extensionDevelopmentPath", remote], ["extensionTestsPath", `${remote}/index.cjs`]];
      await page.goto(`http://127.0.0.1:${port}/?folder=${work}&payload=${encodeURIComponent(JSON.stringify(payload))}`);
      await Promise.race([ended, sleep(4 * PATIENCE_MS)]);
      return JSON.parse(readFileSync(hostResult, "utf8"));
    },
    async command(title) {
      await askFor(page, "F1", `>${title}`);
      await page.locator(`.quick-input-list .monaco-list-row:has-text("${title}")`).first().waitFor();
      await page.keyboard.press("Enter");
    },
    /** A screenshot, if any are wanted. Each waits until what moves has come to rest. */
    async shot(name) {
      if (!options.shots) return;
      await until(() => page.evaluate(() => document.getAnimations().every((one) => one.playState !== "running")), 2_000).catch(
        () => {},
      );
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
  "editor.minimap.enabled": false, // so that the pictures show more of the text
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

export const text = (page, selector) => page.locator(selector).allInnerTexts().then((texts) => texts.join("\n"));

/** Where the first key of a record is drawn, by the record's line number from 1: behind its hints. */
export const spot = (page, number, words = "timestamp") =>
  until(() =>
    page.evaluate(
      ([wanted, words]) => {
        const top = (element) => element.getBoundingClientRect().top;
        const inEditor = (selector) => [...document.querySelectorAll(`.editor-instance ${selector}`)];
        const gutter = inEditor(".line-numbers").find((one) => one.textContent.trim() === wanted);
        const row = gutter && inEditor(".view-line").find((one) => Math.abs(top(one) - top(gutter)) < 4);
        const piece = row && [...row.querySelectorAll("span span")].find((one) => one.textContent.includes(words));
        const box = piece?.getBoundingClientRect();
        return box && { x: box.left + box.width / 2, y: box.top + box.height / 2 };
      },
      [String(number), words],
    ),
  );

/** Opens the field at the top with a key and writes into it. A busy editor may lose the key: it is pressed again. */
async function askFor(page, key, words) {
  const field = page.locator(".quick-input-widget:visible input").first();
  for (let tries = 1; ; tries++) {
    await page.keyboard.press(key);
    try {
      await field.fill(words, { timeout: 4_000 });
      return;
    } catch (error) {
      if (tries === 5) throw error;
      await page.keyboard.press("Escape");
    }
  }
}

export async function putCursorOn(page, number) {
  await askFor(page, "Control+g", `:${number}:20`);
  await page.keyboard.press("Enter");
  await statusSays(page, `Ln ${number}, Col 20`);
}

export const statusSays = (page, words) => page.locator(`.statusbar-item:has-text("${words}")`).first().waitFor({ timeout: PATIENCE_MS });

/** Notifications, read in their center: a toast may be gone before one looks. */
export async function notifications(editor) {
  await editor.command("Notifications: Show Notifications");
  await editor.page.locator(".notifications-center .notification-list-item").first().waitFor({ timeout: PATIENCE_MS });
  return editor.page.locator(".notifications-center .notification-list-item").allInnerTexts();
}

/** What the language status says, which is shown while the mouse is on the braces. */
export async function languageStatus(page) {
  await page.mouse.move(600, 500);
  await page.locator("#status\\.languageStatus").hover();
  const item = page.locator(".hover-language-status").first();
  await item.waitFor({ timeout: PATIENCE_MS });
  return text(page, ".hover-language-status");
}
