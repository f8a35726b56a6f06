import { diffArrays } from "diff";

type Flat = ReadonlyMap<string, string | readonly string[]>;

/** `-` marks lines of the guide, `+` our lines, and `~` changed values. */
export function differences(guide: unknown, ours: unknown): readonly string[] {
  const [left, right] = [flat(guide), flat(ours)];
  const paths = [...new Set([...left.keys(), ...right.keys()])];
  return paths.flatMap((path) => compare(path, left.get(path), right.get(path))).map((line) => line.trimEnd());
}

type Value = string | readonly string[] | undefined;

function compare(path: string, guide: Value, ours: Value): readonly string[] {
  if (Array.isArray(guide) || Array.isArray(ours)) return compareLines(path, linesOf(guide), linesOf(ours));
  if (guide === ours) return [];
  if (guide === undefined) return [`+ ${path}: ${String(ours)}`];
  return ours === undefined ? [`- ${path}: ${String(guide)}`] : [`~ ${path}: ${String(guide)} -> ${String(ours)}`];
}

function linesOf(value: Value): string[] {
  if (value === undefined) return [];
  return typeof value === "string" ? [value] : [...value];
}

function compareLines(path: string, guide: string[], ours: string[]): readonly string[] {
  const cut = guide.indexOf("..."); // the guide omits the rest
  const [left, right] = cut < 0 ? [guide, ours] : [guide.slice(0, cut), ours.slice(0, cut)];
  return diffArrays(left, right).flatMap(({ added, removed, value }) => {
    const sign = added ? "+" : "-";
    return added || removed ? value.map((line) => `${sign} ${path} | ${line}`) : [];
  });
}

/** Compares lists of plain values and multi-line texts line by line. */
function flat(value: unknown, path = ""): Flat {
  if (isPlainList(value)) return new Map([[path, value.map((one) => JSON.stringify(one))]]);
  const parts = typeof value === "object" && value !== null ? Object.entries(value) : [];
  if (parts.length === 0) return new Map([[path, typeof value === "string" ? textOf(value) : JSON.stringify(value)]]);
  return new Map(parts.flatMap(([key, part]) => [...flat(part, path === "" ? key : `${path}.${key}`)]));
}

function textOf(text: string): string | readonly string[] {
  const lines = text.trimEnd().split("\n");
  return text.includes("\n") ? lines : text;
}

function isPlainList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.every((one) => typeof one !== "object" || one === null);
}
