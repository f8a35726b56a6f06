// Copies the repository, so that a test can change files and run make.

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { inRepository } from "@virt/testkit";

export type CommandOutput = { readonly status: number | null; readonly output: string };

export type RepositoryCopy = {
  readonly path: (...parts: readonly string[]) => string;
  /** Paths are relative to the root of the copy. Missing folders are created. */
  readonly write: (files: Readonly<Record<string, string>>) => void;
  readonly run: (command: string, ...args: readonly string[]) => CommandOutput;
  readonly [Symbol.dispose]: () => void;
};

/** Copies committed and untracked files, and links third-party packages. */
export function copyRepository(): RepositoryCopy {
  const root = mkdtempSync(join(tmpdir(), "repository-copy-"));
  const listed = execFileSync("git", ["ls-files", "-z", "-co", "--exclude-standard"], {
    cwd: inRepository(),
    encoding: "utf8",
  });
  for (const file of listed.split("\0").filter((name) => name !== ""))
    cpSync(inRepository(file), join(root, file), { recursive: true });
  linkPackages(root);
  return {
    path: (...parts) => join(root, ...parts),
    write: (files) => {
      for (const [file, text] of Object.entries(files)) {
        mkdirSync(dirname(join(root, file)), { recursive: true });
        writeFileSync(join(root, file), text);
      }
    },
    run: (command, ...args) => {
      const options = { cwd: root, encoding: "utf8", env: plainEnvironment(), maxBuffer: 2 ** 26 } as const;
      const { status, stdout, stderr } = spawnSync(command, args, options);
      return { status, output: stdout + stderr };
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

// Links third-party packages to the original, and our own to the copy.
function linkPackages(copy: string): void {
  const modules = join(copy, "node_modules");
  mkdirSync(join(modules, "@virt"), { recursive: true });
  for (const name of readdirSync(inRepository("node_modules"))) {
    if (name !== "@virt" && name !== ".package-lock.json")
      symlinkSync(inRepository("node_modules", name), join(modules, name));
  }
  // npm places a second version of a package next to the workspace that needs it.
  for (const folder of globSync("{apps,packages}/*/node_modules", { cwd: inRepository() }))
    symlinkSync(inRepository(folder), join(copy, folder));
  for (const folder of [...globSync(`${copy}/{packages,apps}/*`), `${copy}/catalog`])
    symlinkSync(folder, join(modules, "@virt", basename(folder)));
  writeFileSync(join(modules, ".package-lock.json"), ""); // newer than all sources, so that make installs nothing
}

// Removes the settings of an outer make or vitest. Without LAW_RUNS, property-based tests run briefly, because the
// original already runs them often.
function plainEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(MAKEFLAGS|MAKELEVEL|MFLAGS|VITEST.*|NODE_ENV|TEST|LAW_RUNS|CI)$/.test(name),
    ),
  );
}
