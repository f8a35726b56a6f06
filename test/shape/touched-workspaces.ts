// Finds workspaces of a repository copy that differ from the original, and all that import them.

import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { inRepository } from "@virt/testkit";
import type { RepositoryCopy } from "../../tools/testing/repository-copy.ts";

type Workspace = { readonly folder: string; readonly name: string; readonly imports: readonly string[] };

/** Returns folders. Uses declared dependencies, which `make check` compares with the imports. */
export function touchedWorkspaces(copy: Pick<RepositoryCopy, "path">): readonly string[] {
  const workspaces = readWorkspaces(copy.path());
  const touched = new Set(workspaces.filter(({ folder }) => isChanged(copy, folder)));
  const importsTouched = ({ imports }: Workspace) => [...touched].some(({ name }) => imports.includes(name));
  for (let count = -1; count !== touched.size; ) {
    count = touched.size;
    for (const workspace of workspaces.filter(importsTouched)) touched.add(workspace);
  }
  return [...touched].map(({ folder }) => folder);
}

function readWorkspaces(root: string): readonly Workspace[] {
  const files = globSync("{packages/*,apps/*,catalog,bench}/package.json", { cwd: root });
  return files.map((file) => {
    const { name, dependencies, devDependencies } = JSON.parse(readFileSync(`${root}/${file}`, "utf8")) as Manifest;
    return { folder: dirname(file), name, imports: Object.keys({ ...dependencies, ...devDependencies }) };
  });
}

type Manifest = {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
};

function isChanged(copy: Pick<RepositoryCopy, "path">, folder: string): boolean {
  const files = globSync(`${folder}/**/*`, { cwd: copy.path(), exclude: ["**/node_modules/**"] });
  return files.some((file) => {
    const [mine, original] = [copy.path(file), inRepository(file)];
    if (statSync(mine).isDirectory()) return false;
    return !existsSync(original) || !readFileSync(mine).equals(readFileSync(original));
  });
}
