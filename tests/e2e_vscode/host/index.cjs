// Runs inside the editor's extension host: asks the editor's own commands what the installed extension gives for a
// rollout. Its tests go by the names that are written to $ROLLOUT_HOST_RESULT; drive.mjs reads them.
const assert = require("node:assert/strict");
const { readFileSync, readdirSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const vscode = require("vscode");

const PATIENCE_MS = 30_000;
const CALL = 10; // rows from 0
const RESULT = 11;

const folder = vscode.workspace.workspaceFolders[0].uri.fsPath;
const named = (ending) => join(folder, readdirSync(folder).find((name) => name.endsWith(ending)));
const path = named(".jsonl");
const uri = vscode.Uri.file(path);
const ask = (command, ...rest) => vscode.commands.executeCommand(command, uri, ...rest);
const at = (row, column = 3) => new vscode.Position(row, column);

async function until(look) {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error("waited in vain");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const rowsOf = (found) => found.map((one) => (one.targetSelectionRange ?? one.targetRange ?? one.range).start.line);

const tests = {
  async "the extension is active"() {
    await vscode.window.showTextDocument(uri);
    await until(() => vscode.extensions.getExtension("rollout-ls.rollout-ls").isActive);
  },
  async "findings have codes and pages"() {
    const found = await until(() => {
      const all = vscode.languages.getDiagnostics(uri);
      return all.length > 3 && all;
    });
    const codes = found.map((one) => one.code.value);
    for (const code of ["bad-json", "unknown-type", "orphan-call"]) assert.ok(codes.includes(code), code);
    assert.ok(found.every((one) => one.source === "rollout" && one.code.target.scheme === "file"));
  },
  async "symbols go by turn"() {
    const [session, ...turns] = await ask("vscode.executeDocumentSymbolProvider");
    assert.match(session.name, /^Session 019ebabc/);
    assert.deepEqual(turns.slice(0, 4).map(({ name }) => name.split(":")[0]), ["Turn 1", "Turn 2", "Turn 3", "Turn 4"]);
    assert.match(turns[0].detail, /5 calls, 1 failed/);
  },
  async "a hover decodes the record"() {
    const [hover] = await ask("vscode.executeHoverProvider", at(CALL));
    const text = hover.contents.map((one) => one.value).join("\n");
    assert.match(text, /python -m pytest -q tests/);
    assert.ok(hover.contents.every((one) => !one.isTrusted && !one.supportHtml));
  },
  async "definitions lead both ways"() {
    assert.deepEqual(rowsOf(await ask("vscode.executeDefinitionProvider", at(CALL))), [RESULT]);
    assert.deepEqual(rowsOf(await ask("vscode.executeDefinitionProvider", at(RESULT))), [CALL]);
  },
  async "references and highlights are call and result"() {
    assert.deepEqual(rowsOf(await ask("vscode.executeReferenceProvider", at(CALL))), [CALL, RESULT]);
    assert.deepEqual(rowsOf(await ask("vscode.executeDocumentHighlights", at(CALL))), [CALL, RESULT]);
  },
  async "inlay hints tell turn, time, actor and outcome"() {
    const hints = await ask("vscode.executeInlayHintProvider", new vscode.Range(CALL, 0, CALL + 1, 0));
    const label = hints[0].label.map((part) => part.value).join("");
    assert.match(label, /^T1 \+5s model exec_command → failed \(exit 1\)/);
  },
  async "lenses are resolved, and lead to turns"() {
    const lenses = await ask("vscode.executeCodeLensProvider", 100);
    const titles = lenses.map((lens) => lens.command.title);
    assert.ok(titles.some((title) => title.startsWith("turn 1: completed")), titles.join("; "));
    const next = lenses.find((lens) => lens.command.title === "next turn" && lens.range.start.line === 1);
    await vscode.commands.executeCommand(next.command.command, ...next.command.arguments);
    assert.equal(vscode.window.activeTextEditor.selection.active.line, 32);
  },
  async "tokens name kinds and failures"() {
    const range = new vscode.Range(CALL, 0, CALL + 1, 0);
    const legend = await ask("vscode.provideDocumentRangeSemanticTokensLegend", range);
    const { data } = await ask("vscode.provideDocumentRangeSemanticTokens", range);
    const names = [];
    for (let index = 0; index < data.length; index += 5) names.push(legend.tokenTypes[data[index + 3]]);
    assert.ok(names.includes("function") && names.includes("variable"), names.join());
    const failed = 1 << legend.tokenModifiers.indexOf("failed");
    assert.ok(data.some((value, index) => index % 5 === 4 && value & failed));
  },
  async "turns and calls fold"() {
    const folds = await ask("vscode.executeFoldingRangeProvider");
    assert.ok(folds.some(({ start, end }) => start === 1 && end === 31));
    assert.ok(folds.some(({ start, end }) => start === CALL && end === RESULT));
  },
  async "a selection grows up to the turn"() {
    const [first] = await ask("vscode.executeSelectionRangeProvider", [at(CALL, 200)]);
    let last = first;
    let steps = 0;
    for (; last.parent; steps++) last = last.parent;
    assert.ok(steps >= 4);
    assert.ok(last.range.start.line <= 1 && last.range.end.line >= 31);
  },
  async "a session is read, and its rows lead back"() {
    const page = vscode.Uri.from({ scheme: "rollout-read", path: `/session${uri.path}.md` });
    const document = await vscode.workspace.openTextDocument(page);
    assert.equal(document.languageId === "markdown" || document.languageId === "plaintext", true);
    const rows = document.getText().split("\n");
    assert.match(rows[0], /^# Session 019ebabc/);
    const row = rows.findIndex((text) => text.startsWith("### exec_command") && text.includes(`line ${CALL + 1}`));
    const found = await vscode.commands.executeCommand("vscode.executeDefinitionProvider", page, at(row + 2));
    assert.deepEqual(rowsOf(found), [CALL]);
    assert.equal((found[0].targetUri ?? found[0].uri).toString(), uri.toString());
    assert.deepEqual(vscode.languages.getDiagnostics(page), []);
  },
  async "a packed rollout is its text, with findings"() {
    const text = vscode.Uri.from({ scheme: "rollout-read", path: `/text${named(".zst").slice(0, -4)}` });
    const document = await vscode.workspace.openTextDocument(text);
    assert.equal(document.getText(), readFileSync(path, "utf8"));
    assert.equal(document.languageId, "jsonl");
    await vscode.window.showTextDocument(document); // findings are asked for what is in a tab
    await until(() => vscode.languages.getDiagnostics(text).length > 3);
    const found = await vscode.commands.executeCommand("vscode.executeDefinitionProvider", text, at(CALL));
    assert.deepEqual(rowsOf(found), [RESULT]);
  },
  async "a readable document follows its rollout"() {
    const page = vscode.Uri.from({ scheme: "rollout-read", path: `/turn/1${uri.path}.md` });
    const document = await vscode.workspace.openTextDocument(page);
    assert.match(document.getText(), /lines 2 to 32/);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(uri, new vscode.Position(0, 0), "\n");
    await vscode.workspace.applyEdit(edit);
    await until(() => /lines 3 to 33/.test(document.getText()));
    await vscode.window.showTextDocument(uri);
    await vscode.commands.executeCommand("undo");
    await until(() => /lines 2 to 32/.test(document.getText()));
  },
};

exports.run = async () => {
  const results = [];
  for (const [name, play] of Object.entries(tests)) {
    try {
      await play();
      results.push({ name });
    } catch (error) {
      results.push({ name, error: String(error?.message ?? error) });
    }
  }
  writeFileSync(process.env.ROLLOUT_HOST_RESULT, JSON.stringify(results));
};
