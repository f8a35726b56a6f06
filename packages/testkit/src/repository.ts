// Where this repository lies, so that tests and tools find its files from any folder.

import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** The absolute form of a path that is given relative to the repository's root. */
export function inRepository(...path: readonly string[]): string {
  return resolve(root, ...path);
}
