// The diff that people review: unified, of YAML lines, headed by the object's name and kind.

import type { KubeObject, Ref } from "./cluster.ts";
import { hunkHeader, writeHunks } from "./hunks.ts";
import type { JsonMap } from "./json.ts";
import { yamlLines } from "./yaml.ts";

export function creationDiff(desired: KubeObject): string {
  const lines = linesOf(desired);
  const header = hunkHeader({ from: 0, count: 0 }, { from: 0, count: lines.length });
  return text(["--- /dev/null", `+++ ${titleOf(desired)}`, header, ...lines.map((line) => `+${line}`)]);
}

export function deletionDiff(live: KubeObject): string {
  const lines = linesOf(live);
  const header = hunkHeader({ from: 0, count: lines.length }, { from: 0, count: 0 });
  return text([`--- ${titleOf(live)}`, "+++ /dev/null", header, ...lines.map((line) => `-${line}`)]);
}

/** The equal form where nothing differs that a diff shows. Whether an item changes something is decided on the objects, not here. */
export function changeDiff(live: KubeObject, predicted: KubeObject): string {
  const hunks = writeHunks(linesOf(live), linesOf(predicted));
  if (hunks.length === 0) return equalDiff({ kind: live.kind, name: live.metadata.name });
  return text([`--- ${titleOf(live)}`, `+++ ${titleOf(predicted)}`, ...hunks]);
}

/** For an object in the desired state, or one that is not to be touched. */
export function equalDiff({ kind, name }: Pick<Ref, "kind" | "name">): string {
  const title = `${name} (${kind})`;
  return text([`--- ${title}`, `+++ ${title}`, "(no changes)"]);
}

function titleOf({ kind, metadata }: KubeObject): string {
  return `${metadata.name} (${kind})`;
}

function text(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}

function linesOf(object: KubeObject): readonly string[] {
  return yamlLines({ ...without(object, serverParts), metadata: without(object.metadata, serverMetadata) });
}

// What the server writes and nobody reviews.
const serverParts = new Set(["status"]);
const serverMetadata = new Set([
  "managedFields",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "uid",
  "selfLink",
]);

function without(map: JsonMap, keys: ReadonlySet<string>): JsonMap {
  return Object.fromEntries(Object.entries(map).filter(([key]) => !keys.has(key)));
}
