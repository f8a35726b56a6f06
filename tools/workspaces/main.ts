// Part of `make check`: each workspace declares exactly its imports, in one version. --write fixes the declarations.

import { globSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { importsOf, type Manifest, type SourceFile, unequalVersions, wrongDeclarations } from "./declared-imports.ts";
import { type LockFile, lockFaults } from "./lock-faults.ts";

type RootManifest = Manifest & { readonly version: string; readonly workspaces: readonly string[] };

const { values } = parseArgs({ options: { write: { type: "boolean" } } });
const root = readJsonFile("package.json") as RootManifest;
const paths = globSync(root.workspaces.map((folder) => `${folder}/package.json`)).toSorted();
const workspaces = paths.map((path) => ({ path, folder: dirname(path), manifest: readJsonFile(path) as Manifest }));

if (values.write === true) writeManifests();
else reportFaults();

function reportFaults(): void {
  const lock = readJsonFile("package-lock.json") as LockFile;
  const faults = [
    ...workspaces.flatMap(({ path, folder, manifest }) =>
      wrongDeclarations(manifest, sourcesIn(folder)).map((fault) => `${path}: ${fault}`),
    ),
    ...unequalVersions([root, ...workspaces.map(({ manifest }) => manifest)]).map(
      (fault) => `two versions of ${fault}`,
    ),
    ...lockFaults(
      new Map([["", root], ...workspaces.map(({ folder, manifest }) => [folder, manifest] as const)]),
      lock,
    ),
  ];
  for (const fault of faults) process.stdout.write(`${fault}\n`);
  if (faults.length === 0) return;
  process.stdout.write("Next: node tools/workspaces/main.ts --write && npm install --package-lock-only\n");
  process.exitCode = 1;
}

function writeManifests(): void {
  const versions = new Map(
    [root, ...workspaces.map(({ manifest }) => manifest)].flatMap(({ dependencies, devDependencies }) =>
      Object.entries({ ...devDependencies, ...dependencies }),
    ),
  );
  const versionOf = (name: string) => (name.startsWith("@virt/") ? root.version : versions.get(name));
  for (const { path, folder, manifest } of workspaces) {
    const imported = importsOf(manifest.name, sourcesIn(folder));
    const declared = (["dependencies", "devDependencies"] as const).flatMap((place) => {
      const names = [...imported[place].keys()].toSorted();
      return names.length === 0 ? [] : [[place, Object.fromEntries(names.map((name) => [name, versionOf(name)]))]];
    });
    const { dependencies: _product, devDependencies: _development, ...rest } = manifest;
    writeFileSync(path, `${JSON.stringify({ ...rest, ...Object.fromEntries(declared) }, null, 2)}\n`);
  }
}

function sourcesIn(folder: string): readonly SourceFile[] {
  // bench/client-node has its own package.json and lock file.
  const names = globSync("**/*.{ts,tsx}", {
    cwd: folder,
    exclude: ["**/node_modules/**", "client-node/**"],
  }).toSorted();
  return names.map((name) => join(folder, name)).map((file) => ({ file, text: readFileSync(file, "utf8") }));
}

function readJsonFile(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}
