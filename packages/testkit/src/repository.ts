// Resolves paths relative to the repository root, from any working folder.

import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));

export function inRepository(...path: readonly string[]): string {
  return resolve(root, ...path);
}
