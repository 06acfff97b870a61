// Bundles the extension into one file, with the licenses of the libraries in it beside it;
// with --tests each unit test into build/test/ instead.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const common = {
  bundle: true,
  format: "cjs",
  platform: "node",
  target: "node20", // what VS Code 1.91 runs
  logLevel: "warning",
};

if (process.argv.includes("--tests")) {
  rmSync("build/test", { recursive: true, force: true });
  const tests = readdirSync("test").filter((name) => name.endsWith(".test.ts"));
  await build({
    ...common,
    entryPoints: tests.map((name) => `test/${name}`),
    outdir: "build/test",
    outExtension: { ".js": ".cjs" },
    sourcemap: "inline",
  });
} else {
  rmSync("dist", { recursive: true, force: true });
  const { metafile } = await build({
    ...common,
    entryPoints: ["src/extension.ts"],
    outfile: "dist/extension.js",
    external: ["vscode"],
    minify: true,
    legalComments: "none",
    metafile: true,
  });
  writeFileSync("dist/LICENSES.txt", licenses(Object.keys(metafile.inputs)));
}

/** The license texts of all packages that the given source files belong to. */
function licenses(inputs) {
  const folders = new Set(inputs.map((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]));
  folders.delete(undefined);
  return [...folders].sort().map((folder) => {
    const { name, version } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    if (file === undefined) throw new Error(`${name} has no license file`);
    return `${name} ${version}\n\n${readFileSync(`${folder}/${file}`, "utf8").trim()}\n`;
  }).join(`\n${"-".repeat(80)}\n\n`);
}
