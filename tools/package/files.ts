import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export type PackageFiles = {
  /** These folders must contain no other files. */
  readonly folders: readonly string[];
  readonly texts: Readonly<Record<string, string>>;
};

/** Paths are relative to the root. */
export function staleFiles({ folders, texts }: PackageFiles, root: string): readonly string[] {
  const changed = Object.keys(texts).filter((file) => textOf(join(root, file)) !== texts[file]);
  return [...changed, ...strayFiles({ folders, texts }, root)];
}

export function writeFiles({ folders, texts }: PackageFiles, root: string): void {
  for (const file of strayFiles({ folders, texts }, root)) rmSync(join(root, file));
  for (const [file, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
}

function strayFiles({ folders, texts }: PackageFiles, root: string): readonly string[] {
  return folders
    .flatMap((folder) => globSync(`${folder}/**/*`, { cwd: root, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(root, "/").length))
    .filter((file) => !Object.hasOwn(texts, file));
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
