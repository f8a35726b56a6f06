// Writes JSON values as YAML in the one style that diffs are made of: sorted, unfolded, dashes under their key.

import { entriesOf, isList, isMap, type Json, type JsonMap } from "./json.ts";
import { compareUtf8 } from "./utf8.ts";
import { isPrintable, writeScalar, writeText } from "./yaml-scalar.ts";

/** The document, every line ended by a newline. */
export function writeYaml(value: Json): string {
  return yamlLines(value)
    .map((line) => `${line}\n`)
    .join("");
}

/** The document's lines, without line ends. A last line that is empty is part of a text. */
export function yamlLines(value: Json): readonly string[] {
  const place: Place = { lines: [], pad: "", lead: "" };
  if (isMap(value)) writeMap(value, place);
  else if (isList(value)) writeList(value, place);
  else return [writeScalar(value)];
  return place.lines;
}

// Where to write: further lines are padded, the first one begins with the lead (the pad, or the dash of a list above).
type Place = { readonly lines: string[]; readonly pad: string; readonly lead: string };

function writeMap(map: JsonMap, { lines, pad, lead }: Place): void {
  const entries = entriesOf(map).toSorted(([left], [right]) => compareUtf8(left, right));
  if (entries.length === 0) lines.push(`${lead}{}`);
  entries.forEach(([key, value], at) => {
    const start = at === 0 ? lead : pad;
    const name = writeText(key);
    const isImplicit = name.length <= longestImplicitKey;
    if (!isImplicit) lines.push(`${start}? ${name}`);
    writeMember(isImplicit ? `${start}${name}:` : `${pad}:`, value, { lines, pad });
  });
}

// https://yaml.org/spec/1.2.2/#742-flow-mappings: a key within a line has at most 1024 characters
const longestImplicitKey = 1024;

function writeMember(name: string, value: Json, { lines, pad }: Omit<Place, "lead">): void {
  const inner = `${pad}  `;
  if (isMap(value) && entriesOf(value).length > 0) {
    lines.push(name);
    writeMap(value, { lines, pad: inner, lead: inner });
  } else if (isList(value) && value.length > 0) {
    lines.push(name);
    writeList(value, { lines, pad, lead: pad });
  } else writeLeaf(name, value, { lines, pad: inner });
}

function writeList(list: readonly Json[], { lines, pad, lead }: Place): void {
  if (list.length === 0) lines.push(`${lead}[]`);
  const inner = `${pad}  `;
  list.forEach((value, at) => {
    const start = at === 0 ? lead : pad;
    if (isMap(value)) writeMap(value, { lines, pad: inner, lead: `${start}- ` });
    else if (isList(value)) writeList(value, { lines, pad: inner, lead: `${start}- ` });
    else writeLeaf(`${start}-`, value, { lines, pad: inner });
  });
}

function writeLeaf(name: string, value: Json, { lines, pad }: Omit<Place, "lead">): void {
  if (typeof value !== "string" || !isLiteral(value)) lines.push(`${name} ${yamlLines(value).join("")}`);
  else {
    lines.push(`${name} |${/^\n* /.test(value) ? "2" : ""}${chomping(value)}`);
    const end = value.endsWith("\n") ? value.slice(0, -1) : value;
    for (const line of end.split("\n")) lines.push(line === "" ? "" : `${pad}${line}`);
  }
}

function isLiteral(text: string): boolean {
  return text.includes("\n") && text.split("\n").every((line) => isPrintable(line) && !line.endsWith(" "));
}

// A text of newlines alone has no content whose last line break could be clipped.
function chomping(text: string): string {
  if (!text.endsWith("\n")) return "-";
  return text.endsWith("\n\n") || text === "\n" ? "+" : "";
}
