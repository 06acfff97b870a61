// Opens a rollout in code-server with the packaged extension installed, and looks at the screen.
// Started by ./run, which brings the tools. Prints one line a check, and "N passed, N failed".
import { appendFileSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { zstdCompressSync } from "node:zlib";
import {
  PATIENCE_MS,
  languageStatus,
  notifications,
  openEditor,
  options,
  putCursorOn,
  spot,
  statusSays,
  text,
  until,
} from "./editor.mjs";
import { CALL_LINE, CUT_LINE, OUTPUT_LINE, longRollout, rollout } from "./rollout.mjs";

const FIXTURES = join(dirname(fileURLToPath(import.meta.url)), "../../fixtures/sessions");
const DEMO = readdirSync(FIXTURES).find((name) => name.startsWith("rollout-2026-06-12T09-30-00-"));
const NAME = "rollout-2026-06-12T09-30-00-0199b000-0000-7000-8000-000000000001.jsonl";

let passed = 0;
let failed = 0;
let again = 0;
let onScreen;

/** A check: what should be so, and a function that throws or gives false when it is not. */
async function check(what, look) {
  try {
    if ((await look()) === false) throw new Error("it is not so");
    passed++;
    console.log(`ok      ${what}`);
  } catch (error) {
    failed++;
    console.log(`FAILED  ${what}: ${String(error.message ?? error).split("\n")[0]}`);
    await onScreen?.shot(`failed-${failed}`).catch(() => {});
  }
}

/** Plays a story, and once more where something failed: a browser on a busy machine loses a key now and then. */
async function story(name, ...rest) {
  if (options.only && !name.includes(options.only)) return;
  const began = Date.now();
  const before = [passed, failed];
  console.log(`-- ${name}`);
  await tell(name, ...rest);
  if (failed > before[1]) {
    [passed, failed] = before;
    again++;
    console.log(`-- ${name}, once more`);
    await tell(name, ...rest);
  }
  console.log(`   (${Math.round((Date.now() - began) / 1000)} s)`);
}

/** Plays a story in an editor of its own; its failure to set up is a failed check. */
async function tell(name, machine, files, play, host = undefined) {
  let editor;
  try {
    editor = onScreen = await openEditor(machine, files, host);
    await play(editor);
  } catch (error) {
    await check(name, () => {
      throw error;
    });
  } finally {
    await editor?.shot(`${name.replaceAll(" ", "-")}-end`).catch(() => {});
    await editor?.close();
    onScreen = undefined;
  }
}

function isJson(row) {
  try {
    return JSON.parse(row) !== undefined;
  } catch {
    return false;
  }
}

/** One of the extension's keys: Alt+R, then a letter. */
async function keys(page, letter) {
  await page.keyboard.press("Alt+r");
  await page.keyboard.press(letter);
}

/** Whether the hover on the screen says something. A space in code is a no-break space there. */
const hoverSays = async (page, words) =>
  words.test(await text(page, ".monaco-resizable-hover .monaco-hover:not(.hidden) .hover-contents"));

/** How many colours the texts on the screen have. */
const colours = (page) =>
  page.locator(".editor-instance .view-line span span").evaluateAll((spans) => {
    return new Set(spans.map((span) => getComputedStyle(span).color)).size;
  });

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
    const { x, y } = await spot(page, CALL_LINE);
    await page.mouse.move(x, y);
    await until(() => hoverSays(page, /Call of shell[^]*pytest\s-q\stests/));
    await editor.shot("hover-small");
  });
  await page.keyboard.press("Escape");

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
      await until(async () => /running/.test(await languageStatus(page)));
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

// What is drawn into the text, the documents to read, a packed rollout, a file that grows.
const demo = readFileSync(join(FIXTURES, DEMO));
const DEMO_CUT_LINE = 1 + demo.toString().split("\n").findIndex((row) => !isJson(row));
const PACKED = "rollout-2026-06-13T08-00-00-0199b000-0000-7000-8000-000000000002.jsonl";
const GROWING = "rollout-2026-06-14T08-00-00-0199b000-0000-7000-8000-000000000003.jsonl";
const sight = { [DEMO]: demo, [`${PACKED}.zst`]: zstdCompressSync(demo), [GROWING]: rollout() };
await story("sight", { "rollout.python": options.python }, sight, async (editor) => {
  const { page } = editor;
  const tab = (words) => page.locator(`.tabs-container .tab.active:has-text("${words}")`).first().waitFor({ timeout: PATIENCE_MS });
  const shows = (words) => page.locator(`.editor-instance .view-line:has-text("${words}")`).first().waitFor({ timeout: PATIENCE_MS });
  await editor.open(DEMO);
  await page.locator(".editor-instance .view-line").first().waitFor({ timeout: PATIENCE_MS });
  await check("hints tell turn and speaker at the start of a line", () => shows("T1"));
  await check("hints tell how a call came out", () => shows("exec_command → failed (exit"));
  await check("a lens stands above the turn", () =>
    page.locator('.codelens-decoration:has-text("turn 1: completed")').first().waitFor({ timeout: PATIENCE_MS }));
  await check("hints are not cut before they tell what was run", () => shows("1.1 kB: python -m pytest -q tests"));
  await editor.command("View: Toggle Primary Side Bar Visibility");
  await page.locator(".part.sidebar").waitFor({ state: "hidden", timeout: PATIENCE_MS });
  await editor.shot("sight");
  await check("a hover by the keyboard shows the call, decoded", async () => {
    await putCursorOn(page, 11);
    await editor.command("Show or Focus Hover");
    await until(() => hoverSays(page, /Call of exec_command[^]*python\s-m\spytest\s-q\stests/));
    await editor.shot("hover");
  });
  await page.keyboard.press("Escape");
  await check("tokens: kinds have colours of their own", async () => {
    await until(async () => (await colours(page)) >= 4);
  });
  await check("the language status counts records and turns", async () => {
    await until(async () => /70 records, 4 turns/.test(await languageStatus(page)));
  });
  await page.mouse.move(600, 500);
  await check("the outline walks the turns", async () => {
    await editor.command("Focus on Outline View"); // which brings the side bar back
    const folder = page.locator('.pane-header[aria-label*="work"]').first();
    await folder.click(); // closed, it leaves room
    await page.locator('.outline-pane .monaco-list-row:has-text("Turn 4: Sorry")').first().waitFor({ timeout: PATIENCE_MS });
    const sash = await page.locator(".part.sidebar").boundingBox();
    await page.mouse.move(sash.x + sash.width, 400);
    await page.mouse.down();
    await page.mouse.move(560, 400, { steps: 5 });
    await page.mouse.up();
    await page.mouse.move(900, 650);
    await putCursorOn(page, DEMO_CUT_LINE);
    await page.locator(".squiggly-error").first().waitFor({ timeout: PATIENCE_MS });
    await page.locator('.codelens-decoration:has-text("turn 4: completed")').first().waitFor({ timeout: PATIENCE_MS });
    await until(async () => /Turn 4/.test(await text(page, ".breadcrumbs-control")));
    await editor.shot("outline");
    await folder.click();
  });
  await check("a key goes to the next turn", async () => {
    await putCursorOn(page, 3);
    await keys(page, "n");
    await statusSays(page, "Ln 33, ");
  });
  await check("a key goes to the next failed call", async () => {
    await putCursorOn(page, 3);
    await keys(page, "f");
    await statusSays(page, "Ln 11, ");
  });
  await check("a key goes to the partner", async () => {
    await keys(page, "g");
    await statusSays(page, "Ln 12, ");
  });
  await check("breadcrumbs follow the cursor", async () => {
    await until(async () => /Turn 1/.test(await text(page, ".breadcrumbs-control")));
  });
  await check("the lens leads to the next turn", async () => {
    await putCursorOn(page, 3);
    await until(async () => {
      const box = await page.locator('.codelens-decoration a:has-text("next turn")').first().boundingBox();
      if (box) await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
      await sleep(300);
      return (await text(page, ".statusbar")).includes("Ln 33, ");
    });
  });
  await check("a turn is picked from a list", async () => {
    await putCursorOn(page, 3);
    await keys(page, "o");
    await page.locator('.quick-input-list .monaco-list-row:has-text("Turn 3")').first().waitFor({ timeout: PATIENCE_MS });
    await editor.shot("pick-turn");
    await page.locator(".quick-input-widget input").fill("Turn 2");
    await page.keyboard.press("Enter");
    await statusSays(page, "Ln 33, ");
  });
  await check("turns fold", async () => {
    await putCursorOn(page, 3);
    await editor.command("Fold All");
    await until(async () => (await page.locator(".editor-instance .view-line").count()) < 12);
    await editor.shot("folded");
    await editor.command("Unfold All");
  });
  await check("the resume command is copied", async () => {
    await keys(page, "c");
    await statusSays(page, "copied codex resume 019ebabc-dcc0-7b62-8e8f-21aba48cc26c");
  });

  await check("a turn is read as a document", async () => {
    await editor.command("View: Toggle Primary Side Bar Visibility");
    await page.locator(".part.sidebar").waitFor({ state: "hidden", timeout: PATIENCE_MS });
    await putCursorOn(page, 11);
    await keys(page, "t");
    await tab(`${DEMO}.md`);
    await shows("exec_command call_j67LWBzJsMexCuQjnp4aHcrp");
    await editor.shot("read-turn");
  });
  await check("F12 leads from there to the record", async () => {
    const heading = page.locator('.editor-instance .view-line:has-text("call_j67LWBzJsMexCuQjnp4aHcrp")').first();
    await heading.click({ position: { x: 60, y: 8 } });
    await page.keyboard.press("F12");
    await statusSays(page, "JSON Lines"); // the rollout, and no Markdown
    await statusSays(page, "Ln 11, ");
  });
  await check("the whole session is read as a document, from the record on that the cursor is on", async () => {
    await editor.command("Rollout: Read Session");
    await tab(`${DEMO}.md`);
    await until(async () => /Ln (?!1,|11,)\d+, Col/.test(await text(page, ".statusbar"))); // neither its head nor the rollout
    await shows("call_j67LWBzJsMexCuQjnp4aHcrp");
    await page.keyboard.press("Control+Home");
    await shows("Session 019ebabc");
    await editor.shot("read-session");
  });
  await check("a record is read with its JSON laid out", async () => {
    await keys(page, "g"); // on the session's head: leads to its record
    await statusSays(page, "JSON Lines");
    await statusSays(page, "Ln 1, ");
    await putCursorOn(page, 11);
    await keys(page, "r");
    await shows("arguments (decoded)");
    await editor.shot("read-record");
  });

  await check("a packed rollout opens as its text", async () => {
    await editor.command("Focus on Folders View");
    await page.locator(`.explorer-folders-view .monaco-list-row:has-text("${PACKED}.zst")`).first().dblclick();
    await tab(PACKED);
    await shows("T1");
    await putCursorOn(page, DEMO_CUT_LINE);
    await page.locator(".squiggly-error").first().waitFor({ timeout: PATIENCE_MS });
    await editor.shot("packed");
  });
  await check("F12 works in it", async () => {
    await putCursorOn(page, 11);
    await page.keyboard.press("F12");
    await statusSays(page, "Ln 12, ");
  });
  await check("and its turns can be read, and lead back to its text", async () => {
    await keys(page, "t");
    await tab(`${PACKED}.zst.md`);
    await statusSays(page, "Markdown");
    await shows("Result (07:30:06, line 12)"); // where the cursor was
    await until(async () => /Ln (?!1,|12,)\d+, Col/.test(await text(page, ".statusbar")));
    await keys(page, "g");
    await statusSays(page, "JSON Lines");
    await statusSays(page, "Ln 12, ");
  });

  await check("what is appended to a file is seen", async () => {
    await editor.open(GROWING);
    await page.locator(".squiggly-error").first().waitFor({ timeout: PATIENCE_MS });
    await editor.command("Focus on Outline View");
    const grown = page.locator('.outline-pane .monaco-list-row:has-text("call_grown")');
    // As a session that runs: more than once. What is written before the editor watches the folder, it never sees.
    let times = 0;
    await until(async () => {
      const call = { type: "function_call", name: "shell", call_id: `call_grown_${++times}`, arguments: "{}" };
      const record = { timestamp: "2026-06-12T09:31:00.000Z", type: "response_item", payload: call };
      appendFileSync(editor.path(GROWING), `${JSON.stringify(record)}\n`);
      return grown.first().waitFor({ timeout: 2_000 }).then(() => true, () => false);
    });
  });
});

const HOST = join(dirname(fileURLToPath(import.meta.url)), "host");
const inside = { [DEMO]: demo, [`${PACKED}.zst`]: zstdCompressSync(demo) };
await story(
  "inside the extension host",
  { "rollout.python": options.python },
  inside,
  async (editor) => {
    for (const { name, error } of await editor.runHostTests()) {
      await check(name, () => {
        if (error !== undefined) throw new Error(error);
      });
    }
  },
  HOST,
);

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
  await check("above 50 MB the status bar and one message say so", async () => {
    await statusSays(page, "Rollout over 50 MB");
    const said = await notifications(editor);
    return said.filter((one) => one.includes("Rollout")).length === 1 && said.some((one) => one.includes("over 50 MB"));
  });
  await page.keyboard.press("Escape");
  await check("its findings come from the disk", async () => {
    await editor.command("Problems: Focus on Problems View");
    await page.locator(`.markers-panel .monaco-list-row:has-text("Ln ${CUT_LINE}")`).first().waitFor({ timeout: 2 * PATIENCE_MS });
    await editor.shot("over-50-mb");
  });
  await check("and it can be read", async () => {
    await editor.command("Rollout: Read Session");
    await page.locator('.editor-instance .view-line:has-text("Turn 1: Why does")').first().waitFor({ timeout: 2 * PATIENCE_MS });
  });
});

await story("a server that dies", { "rollout.server.command": ["/bin/false"] }, { [NAME]: rollout() }, async (editor) => {
  await editor.open(NAME);
  await editor.page.locator(".editor-instance .view-line").first().waitFor({ timeout: PATIENCE_MS });
  await check("a server that ends at once is told in one message", async () => {
    await notifications(editor);
    await sleep(2_000); // no second one comes
    const said = await editor.page.locator(".notifications-center .notification-list-item").allInnerTexts();
    await editor.shot("dies");
    return said.length === 1 && said[0].includes("/bin/false: exit code 1");
  });
});

if (again) console.log(`played twice: ${again}`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
