// Writes JSON values as YAML in a fixed style that YAML 1.1 and 1.2 parse to the same value.

import { entriesOf, isList, isMap, type Json, type JsonMap } from "../json/json.ts";
import { compareUtf8 } from "./text.ts";

/** Returns YAML with sorted keys and a final newline. Throws for numbers that JSON does not have. */
export function writeYaml(value: Json): string {
  return yamlLines(value)
    .map((line) => `${line}\n`)
    .join("");
}

/** Returns the lines that replace a list at `line`, without indentation. Undefined keeps the list. */
export type ListText = (list: readonly Json[], line: number) => readonly string[] | undefined;

/** Returns lines without line ends. */
export function yamlLines(value: Json, listText: ListText = () => undefined): readonly string[] {
  const place: OutputPlace = { lines: [], pad: "", lead: "", listText };
  if (isMap(value)) writeMap(value, place);
  else if (isList(value)) writeList(value, place);
  else return [writeScalar(value)];
  return place.lines;
}

// `lead` starts the first line, `pad` all others.
type OutputPlace = {
  readonly lines: string[];
  readonly pad: string;
  readonly lead: string;
  readonly listText: ListText;
};

function writeMap(map: JsonMap, { lines, pad, lead, listText }: OutputPlace): void {
  const entries = entriesOf(map).toSorted(([left], [right]) => compareUtf8(left, right));
  if (entries.length === 0) lines.push(`${lead}{}`);
  entries.forEach(([key, value], at) => {
    const start = at === 0 ? lead : pad;
    const name = writeText(key);
    const isImplicit = name.length <= longestImplicitKey;
    if (!isImplicit) lines.push(`${start}? ${name}`);
    writeMember(isImplicit ? `${start}${name}:` : `${pad}:`, value, { lines, pad, listText });
  });
}

// https://yaml.org/spec/1.2.2/#742-flow-mappings: an implicit key has at most 1024 characters.
const longestImplicitKey = 1024;

function writeMember(name: string, value: Json, { lines, pad, listText }: Omit<OutputPlace, "lead">): void {
  const inner = `${pad}  `;
  if (isMap(value) && entriesOf(value).length > 0) {
    lines.push(name);
    writeMap(value, { lines, pad: inner, lead: inner, listText });
  } else if (isList(value) && value.length > 0) {
    lines.push(name);
    const text = listText(value, lines.length);
    if (text === undefined) writeList(value, { lines, pad, lead: pad, listText });
    else for (const line of text) lines.push(padded(pad, line));
  } else writeLeaf(name, value, { lines, pad: inner });
}

function writeList(list: readonly Json[], { lines, pad, lead, listText }: OutputPlace): void {
  if (list.length === 0) lines.push(`${lead}[]`);
  const inner = `${pad}  `;
  list.forEach((value, at) => {
    const start = at === 0 ? lead : pad;
    if (isMap(value)) writeMap(value, { lines, pad: inner, lead: `${start}- `, listText });
    else if (isList(value)) writeList(value, { lines, pad: inner, lead: `${start}- `, listText });
    else writeLeaf(`${start}-`, value, { lines, pad: inner });
  });
}

function writeLeaf(name: string, value: Json, { lines, pad }: Pick<OutputPlace, "lines" | "pad">): void {
  if (typeof value !== "string" || !isLiteral(value)) lines.push(`${name} ${yamlLines(value).join("")}`);
  else {
    lines.push(`${name} |${/^\n* /.test(value) ? "2" : ""}${chomping(value)}`);
    const end = value.endsWith("\n") ? value.slice(0, -1) : value;
    for (const line of end.split("\n")) lines.push(padded(pad, line));
  }
}

function padded(pad: string, line: string): string {
  return line === "" ? "" : `${pad}${line}`;
}

function isLiteral(text: string): boolean {
  return text.includes("\n") && text.split("\n").every((line) => isPrintable(line) && !line.endsWith(" "));
}

// A string that consists only of newlines has no content, so clipping would remove its last newline.
function chomping(text: string): string {
  if (!text.endsWith("\n")) return "-";
  return text.endsWith("\n\n") || text === "\n" ? "+" : "";
}

type Scalar = null | boolean | number | string;

function writeScalar(value: Scalar): string {
  if (typeof value === "string") return writeText(value);
  return typeof value === "number" ? writeNumber(value) : String(value);
}

/** Returns a plain scalar if both YAML versions parse it back to the same string, otherwise a quoted one. */
export function writeText(text: string): string {
  if (text === "" || isOtherType(text) || needsEscape.test(text) || hasBlankEdge.test(text)) return doubleQuoted(text);
  return isIndicated(text) ? `'${text.replaceAll("'", "''")}'` : text;
}

/** Reports whether both versions can show the line in a literal block. */
function isPrintable(line: string): boolean {
  return !needsEscape.test(line);
}

// YAML 1.1 reads 1e+21 as a string, because a float needs a dot.
function writeNumber(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError(`${value} is not a JSON number`);
  const text = JSON.stringify(value);
  return text.includes(".") ? text : text.replace("e", ".0e");
}

// Characters that are not printable in YAML 1.2, YAML 1.1 line breaks (U+0085, U+2028, U+2029), the byte order mark,
// and invisible format characters such as direction marks.
const needsEscape = /[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]|\p{Cf}/u;
const hasBlankEdge = /^ | $/;

function doubleQuoted(text: string): string {
  const escape = (sign: string) => {
    const code = (sign.codePointAt(0) ?? 0).toString(16);
    return code.length > 4 ? `\\U${code.padStart(8, "0")}` : `\\u${code.padStart(4, "0")}`;
  };
  return JSON.stringify(text).replaceAll(/[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]|\p{Cf}/gu, escape);
}

function isOtherType(text: string): boolean {
  return words.has(text) || numbers.some((pattern) => pattern.test(text));
}

// https://yaml.org/type/ for 1.1 and https://yaml.org/spec/1.2.2/#1032-tag-resolution for 1.2
const truths = ["y", "n", "yes", "no", "on", "off", "true", "false"];
const inCases = (word: string) => [word, word.charAt(0).toUpperCase() + word.slice(1), word.toUpperCase()];
const words: ReadonlySet<string> = new Set(["~", "=", "<<", ...[...truths, "null"].flatMap(inCases)]);

const numbers: readonly RegExp[] = [
  /^[-+]?(?:[0-9]+|[1-9][0-9_]*|0[0-7_]+|0b[01_]+|0x[0-9a-fA-F_]+)$/,
  /^0o[0-7]+$/,
  /^[-+]?(?:[0-9][0-9_]*)?\.[0-9_]*(?:[eE][-+][0-9]+)?$/, // 1.1
  /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/, // 1.2
  /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/, // base 60, such as a time of day or a MAC address
  /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/,
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/,
  /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?$/,
];

function isIndicated(text: string): boolean {
  return indicatedStart.test(text) || indicatedInside.test(text);
}

const indicatedStart = /^(?:[,[\]{}#&*!|>'"%@`]|[-?:](?: |$)|(?:---|\.\.\.)(?: |$))/;
const indicatedInside = /: | #|:$/;
