// Writes unified diffs of objects for review, as YAML with decoded Ignition contents.

import type { KubeObject, Ref } from "@virt/api";
import { ignitionSections } from "../encoding/ignition.ts";
import { utf8Length } from "../encoding/text.ts";
import { yamlLines } from "../encoding/yaml.ts";
import { equalJson, type JsonMap } from "../json/json.ts";
import { type HeadingAt, hunkHeader, writeHunks } from "./unified-diff.ts";

/** Returns the diff of an object that does not exist yet, truncated to 32,000 bytes. */
export function creationDiff(desired: KubeObject): string {
  const { lines } = readable(reviewed(desired));
  const header = hunkHeader({ from: 0, count: 0 }, { from: 0, count: lines.length });
  return bounded(["--- /dev/null", `+++ ${titleOf(desired)}`, header, ...lines.map((line) => `+${line}`)]);
}

/** Returns the diff of an object that is deleted, truncated to 32,000 bytes. */
export function deletionDiff(live: KubeObject): string {
  const { lines } = readable(reviewed(live));
  const header = hunkHeader({ from: 0, count: lines.length }, { from: 0, count: 0 });
  return bounded([`--- ${titleOf(live)}`, "+++ /dev/null", header, ...lines.map((line) => `-${line}`)]);
}

/** Returns the diff of a change, or `equalDiff` if no reviewed field differs. To detect changes, compare the objects instead. */
export function changeDiff(live: KubeObject, predicted: KubeObject): string {
  const hunks = hunksOf(reviewed(live), reviewed(predicted));
  if (hunks.length === 0) return equalDiff({ kind: live.kind, name: live.metadata.name });
  return bounded([`--- ${titleOf(live)}`, `+++ ${titleOf(predicted)}`, ...hunks]);
}

/** Returns the diff of an object without changes. */
export function equalDiff({ kind, name }: Pick<Ref, "kind" | "name">): string {
  const title = `${name} (${kind})`;
  return text([`--- ${title}`, `+++ ${title}`, "(no changes)"]);
}

/** Returns a diff of any size. Undefined: there is no object on that side. `isRaw` keeps Ignition contents encoded. */
export function wholeDiff(
  live: KubeObject | undefined,
  predicted: KubeObject | undefined,
  { isRaw }: { readonly isRaw: boolean },
): string {
  const [old, fresh] = [live, predicted].map((object) => object && reviewed(object));
  const linesOf = (object: KubeObject | undefined) =>
    object === undefined ? [] : isRaw ? yamlLines(object) : readable(object).lines;
  const title = (object: KubeObject | undefined) => (object === undefined ? "/dev/null" : titleOf(object));
  const hunks =
    !isRaw && old !== undefined && fresh !== undefined ? hunksOf(old, fresh) : writeHunks(linesOf(old), linesOf(fresh));
  return text([`--- ${title(old)}`, `+++ ${title(fresh)}`, ...(hunks.length === 0 ? ["(no changes)"] : hunks)]);
}

/** Omits server-side fields and decodes Ignition contents. */
export function diffText(object: KubeObject): string {
  return text(readable(reviewed(object)).lines);
}

// Shows contents encoded if they differ only in their encoding.
function hunksOf(live: KubeObject, predicted: KubeObject): readonly string[] {
  const [old, fresh] = [readable(live), readable(predicted)];
  const hunks = writeHunks(old.lines, fresh.lines, old.headingAt);
  return hunks.length > 0 || equalJson(live, predicted) ? hunks : writeHunks(yamlLines(live), yamlLines(predicted));
}

type Readable = { readonly lines: readonly string[]; readonly headingAt: HeadingAt };

function readable(object: KubeObject): Readable {
  const sections = ignitionSections(object);
  const placed: { readonly heading: string; readonly from: number; readonly to: number }[] = [];
  const lines = yamlLines(object, (list, line) => {
    let from = line;
    return sections.get(list)?.flatMap(({ heading, lines: below }) => {
      placed.push({ heading, from, to: from + below.length });
      from += 1 + below.length;
      return [heading, ...below.map((each) => (each === "" ? "" : `  ${each}`))];
    });
  });
  return { lines, headingAt: (line) => placed.find(({ from, to }) => from < line && line <= to)?.heading };
}

function titleOf({ kind, metadata }: KubeObject): string {
  return `${metadata.name} (${kind})`;
}

function text(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}

/** The maximum size of a diff in bytes. A status contains up to 16 diffs. */
const mostBytes = 32_000;

function bounded(lines: readonly string[]): string {
  const whole = text(lines);
  if (utf8Length(whole) <= mostBytes) return whole;
  const more = (count: number) => `… ${count} more lines: kubectl virt-advisor diff`;
  let bytes = utf8Length(text([more(lines.length)]));
  const end = lines.findIndex((line) => {
    bytes += utf8Length(line) + 1;
    return bytes > mostBytes;
  });
  return text([...lines.slice(0, end), more(lines.length - end)]);
}

function reviewed(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata } = object;
  const { name } = metadata;
  return {
    ...without(object, serverParts),
    apiVersion,
    kind,
    metadata: { ...without(metadata, serverMetadata), name },
  };
}

// Parts that the server writes. Diffs do not show them.
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
