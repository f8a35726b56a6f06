// Locates the repository, so that tests and tools work from any folder.

import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Returns the absolute path of a path relative to the repository root. */
export function inRepository(...path: readonly string[]): string {
  return resolve(root, ...path);
}
