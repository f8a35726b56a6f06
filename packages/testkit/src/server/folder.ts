// The folder in which one control plane lives: in memory where there is room, named after its keeper, gone with it.

import { mkdtempSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const prefix = "virt-controlplane-";
const roomInBytes = 1_000_000_000;

export function makeFolder(keeper: number, roots: readonly string[] = defaultRoots()): string {
  const root = roots.find(hasRoom) ?? tmpdir();
  removeOrphans(root);
  return mkdtempSync(join(root, `${prefix}${keeper}-`));
}

function defaultRoots(): readonly string[] {
  return ["/dev/shm", tmpdir()];
}

function hasRoom(root: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(root);
    return bavail * bsize > roomInBytes;
  } catch {
    return false; // no such file system here
  }
}

// Only a keeper that was killed leaves its folder behind.
function removeOrphans(root: string): void {
  for (const name of readdirSync(root)) {
    const keeper = new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1];
    if (keeper !== undefined && !isAlive(Number(keeper))) rmSync(join(root, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"; // somebody else's process is alive too
  }
}
