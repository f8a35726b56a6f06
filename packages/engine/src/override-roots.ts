// Where people may override what we apply: the roots of the patch and ignore-fields annotations.

import type { Pointer } from "./pointer.ts";

/** Annotations and labels under it are ours, and not open to overrides. */
export const ownPrefix = "platform.kubevirt.io/";

// A segment of this name could reach an object's prototype in code less careful than ours.
const prototypeNames: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

export function isOverridable(pointer: Pointer): boolean {
  if (pointer.some((segment) => prototypeNames.has(segment))) return false;
  const [root] = pointer;
  return root === "spec" || root === "data" || (root === "metadata" && isOpenMetadata(pointer));
}

// One label or annotation of somebody else, and not all of them.
function isOpenMetadata([, part, key, ...rest]: Pointer): boolean {
  const isOne = key !== undefined && rest.length === 0 && !key.startsWith(ownPrefix);
  return isOne && (part === "labels" || part === "annotations");
}
