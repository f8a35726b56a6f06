import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Returns the absolute path of a file in this repository, regardless of the working directory. */
export function inRepository(...path: readonly string[]): string {
  return resolve(root, ...path);
}
