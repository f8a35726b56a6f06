// @module-tag thorough

import { beforeAll, expect, test } from "vitest";
import { type CommandOutput, copyRepository } from "./testing/repository-copy.ts";

const violations = [
  {
    reason: "imports node:fs",
    code: 'export { readFileSync as read } from "node:fs";',
    complaint: "Pure code does no I/O.",
  },
  { reason: "reads the clock", code: "export const now = () => Date.now();", complaint: "Pure code reads no clock" },
  {
    reason: "uses randomness",
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
    complaint: "objects imports of ours only",
  },
  {
    reason: "imports test support",
    code: 'export { planted } from "./testing/planted.ts";',
    complaint: "Product code imports no test support.",
  },
  {
    reason: "uses a global of Node or the browser",
    package: "api", // in objects, the planted import of an app brings in the types of Node
    code: "export const here = () => process.cwd();",
    complaint: "Cannot find name 'process'",
  },
];

const planted = violations.map((violation, at) => ({
  ...violation,
  file: `packages/${violation.package ?? "objects"}/src/planted-${at}.ts`,
}));
const harmless = "packages/objects/src/planted-harmless.ts";
let broken: CommandOutput;
beforeAll(() => {
  const files = planted.map(({ file, code }) => [file, `${code}\n`] as const);
  broken = checkCopy({
    ...Object.fromEntries(files),
    [harmless]: "export const double = (x: number) => 2 * x;\n",
    "docs/decisions/README.md": "# Mine\n",
  });
}, 600_000);

test("make check accepts pure code", () => {
  expect(broken.output).not.toContain(harmless);
});

test.each(planted)("make check rejects a pure package that $reason", ({ complaint, file }) => {
  expect(broken.output).toContain(complaint);
  expect(broken.output).toContain(file);
  expect(broken.status).not.toBe(0);
});

test("make check rejects an undeclared import", () => {
  expect(broken.output).toContain(
    "packages/objects/package.json: dependencies lack @virt/operator, which packages/objects/src/planted-3.ts imports",
  );
});

test("make check rejects a generated file that was edited by hand", () => {
  expect(broken.output).toContain("docs/decisions/README.md is not current: run make generate");
});

const checks = ["check-lint", "check-types", "check-imports", "check-generated"];

function checkCopy(changes: Readonly<Record<string, string>>): CommandOutput {
  using copy = copyRepository();
  copy.write(changes);
  return copy.run("make", "--keep-going", "--jobs=2", "--output-sync=target", ...checks);
}
