import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { inRepository } from "@virt/testkit";
import { beforeAll, expect, test } from "vitest";

test("make check leaves a pure package alone that does none of this", () => {
  const { words } = checkCopy({ "packages/engine/src/planted.ts": "export const double = (x: number) => 2 * x;\n" });
  expect(words).toContain("ok: lint and layers");
  expect(words).toContain("ok: types");
});

const violations = [
  {
    reason: "imports node:fs",
    code: 'export { readFileSync as read } from "node:fs";',
    complaint: "Pure code does no I/O.",
  },
  { reason: "reads the clock", code: "export const now = () => Date.now();", complaint: "Pure code reads no clock" },
  {
    reason: "leaves something to chance",
    code: "export const dice = () => Math.random();",
    complaint: "leaves nothing to chance",
  },
  { reason: "imports an app", code: 'export { main } from "@virt/operator";', complaint: "Nothing imports an app." },
  {
    reason: "imports an app by its path",
    code: 'export { main } from "../../../apps/operator/src/main.ts";',
    complaint: "Nothing imports an app.",
  },
  {
    reason: "imports a package with I/O",
    code: 'export { issueClient } from "@virt/kube";',
    complaint: "engine imports of ours only",
  },
  {
    reason: "uses a global of Node or the browser",
    package: "api", // in the other one an import of an app makes them known
    code: "export const here = () => process.cwd();",
    complaint: "Cannot find name 'process'",
  },
];

const planted = violations.map((violation, at) => ({
  ...violation,
  file: `packages/${violation.package ?? "engine"}/src/planted-${at}.ts`,
}));
let broken: Checked;
beforeAll(() => {
  const files = planted.map(({ file, code }) => [file, `${code}\n`] as const);
  broken = checkCopy({ ...Object.fromEntries(files), "docs/decisions/README.md": "# Mine\n" });
});

test.each(planted)("make check fails on a pure package that $reason, and says so", ({ complaint, file }) => {
  expect(broken.words).toContain(complaint);
  expect(broken.words).toContain(file);
  expect(broken.status).not.toBe(0);
});

test("make check fails on a generated file that was edited by hand", () => {
  expect(broken.words).toContain("docs/decisions/README.md is not current: run make generate");
});

type Checked = { readonly status: number | null; readonly words: string };

/** Runs make check on a copy of the repository with some files replaced or added. */
function checkCopy(changes: Readonly<Record<string, string>>): Checked {
  const copy = mkdtempSync(join(tmpdir(), "check-test-"));
  const listed = execFileSync("git", ["ls-files", "-z", "-co", "--exclude-standard"], {
    cwd: inRepository(),
    encoding: "utf8",
  });
  for (const file of listed.split("\0").filter((name) => name !== "")) {
    cpSync(inRepository(file), join(copy, file), { recursive: true });
  }
  linkPackages(copy);
  for (const [file, text] of Object.entries(changes)) writeFileSync(join(copy, file), text);
  const { status, stdout, stderr } = spawnSync("make", ["check"], {
    cwd: copy,
    encoding: "utf8",
    env: plainEnvironment(),
  });
  rmSync(copy, { recursive: true, force: true });
  return { status, words: stdout + stderr };
}

// Other people's packages are shared with the original; our own are those of the copy.
function linkPackages(copy: string): void {
  const modules = join(copy, "node_modules");
  mkdirSync(join(modules, "@virt"), { recursive: true });
  for (const name of readdirSync(inRepository("node_modules"))) {
    if (name !== "@virt" && name !== ".package-lock.json")
      symlinkSync(inRepository("node_modules", name), join(modules, name));
  }
  for (const folder of [...globSync(`${copy}/packages/*`), `${copy}/catalog`])
    symlinkSync(folder, join(modules, "@virt", basename(folder)));
  writeFileSync(join(modules, ".package-lock.json"), ""); // newer than all sources: make has nothing to install
}

// A make that runs inside another one must not take over its flags and jobs.
function plainEnvironment(): NodeJS.ProcessEnv {
  const { MAKEFLAGS: _flags, MAKELEVEL: _level, MFLAGS: _old, ...env } = process.env;
  return env;
}
