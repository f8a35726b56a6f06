// How one scalar is written in one line of YAML, so that YAML 1.1 and YAML 1.2 both read the same value back.

type Scalar = null | boolean | number | string;

export function writeScalar(value: Scalar): string {
  if (typeof value === "string") return writeText(value);
  return typeof value === "number" ? writeNumber(value) : String(value);
}

/** Plain where both versions read the text back, else quoted: double where plain is another type, single where only indicators are in the way. */
export function writeText(text: string): string {
  if (text === "" || isOtherType(text) || needsEscape.test(text) || hasBlankEdge.test(text)) return doubleQuoted(text);
  return isIndicated(text) ? `'${text.replaceAll("'", "''")}'` : text;
}

/** Printable in both versions, and no line break or blank that one of them would change. */
export function isPrintable(line: string): boolean {
  return !needsEscape.test(line);
}

// YAML 1.1 takes 1e+21 for a text: it wants a dot before an exponent.
function writeNumber(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError(`${value} is not a JSON number`);
  const text = JSON.stringify(value);
  return text.includes(".") ? text : text.replace("e", ".0e");
}

// All but the printable signs of YAML 1.2 without the line breaks of YAML 1.1 (U+0085, U+2028, U+2029) and the byte order mark.
const needsEscape = /[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]/u;
const hasBlankEdge = /^ | $/;

function doubleQuoted(text: string): string {
  const escape = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(text).replaceAll(/[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g, escape);
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
  /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/, // base 60: a time of day, a hardware address
  /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/,
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/,
  /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?$/,
];

function isIndicated(text: string): boolean {
  return indicatedStart.test(text) || indicatedInside.test(text);
}

const indicatedStart = /^(?:[,[\]{}#&*!|>'"%@`]|[-?:](?: |$)|(?:---|\.\.\.)(?: |$))/;
const indicatedInside = /: | #|:$/;
