import { expect, test } from "vitest";
import { importedPackages, unequalVersions, wrongDeclarations } from "./declared-imports.ts";

test("finds the package of every form of import", () => {
  const text = `import fc from "fast-check";
import {
  type A,
  b,
} from "@noble/hashes/sha2.js";
import "side-effect/register";
export type { C } from "@virt/objects";
import { join } from "node:path";
import { d } from "./d.ts";
const later = await import("js-yaml");
const planted = 'import "planted"';
`;
  expect([...importedPackages(text)].toSorted()).toEqual([
    "@noble/hashes",
    "@virt/objects",
    "fast-check",
    "js-yaml",
    "side-effect",
  ]);
});

const files = [
  {
    file: "packages/kube/src/a.ts",
    text: 'import { pino } from "pino";\nimport type { Json } from "@virt/objects";\n',
  },
  { file: "packages/kube/src/a.test.ts", text: 'import { test } from "vitest";\nimport { pino } from "pino";\n' },
  { file: "packages/kube/src/testing/b.ts", text: 'import fc from "fast-check";\n' },
  { file: "packages/kube/build-plugin.ts", text: 'import webpack from "webpack";\n' },
];

test("accepts a workspace that declares exactly its imports", () => {
  const manifest = {
    name: "@virt/kube",
    dependencies: { pino: "1", "@virt/objects": "1" },
    devDependencies: { vitest: "1", "fast-check": "1", webpack: "1" },
  };
  expect(wrongDeclarations(manifest, files)).toEqual([]);
});

test("reports missing, superfluous and misplaced declarations with the importing file", () => {
  const manifest = { name: "@virt/kube", dependencies: { pino: "1", vitest: "1", "left-over": "1" } };
  expect(wrongDeclarations(manifest, files)).toEqual([
    "dependencies lack @virt/objects, which packages/kube/src/a.ts imports",
    "dependencies have vitest, which nothing imports that belongs there",
    "dependencies have left-over, which nothing imports that belongs there",
    "devDependencies lack vitest, which packages/kube/src/a.test.ts imports",
    "devDependencies lack fast-check, which packages/kube/src/testing/b.ts imports",
    "devDependencies lack webpack, which packages/kube/build-plugin.ts imports",
  ]);
});

test("a package has one version in all workspaces", () => {
  const manifests = [
    { name: "a", dependencies: { pino: "1", zod: "1" } },
    { name: "b", devDependencies: { pino: "2", zod: "1" } },
  ];
  expect(unequalVersions(manifests)).toEqual(["pino: 1 in a, 2 in b"]);
});
