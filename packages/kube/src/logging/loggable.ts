// Converts any value to plain data for the log: bounded, acyclic and without secrets. Recognizes secrets by name or
// form.

import { cutText, type Json, type JsonMap } from "@virt/objects";

const most = { depth: 10, values: 1_000, textBytes: 8_192, jsonLength: 100_000 };

/** `left` is the number of values that may still be visited. `open` contains the ancestors. */
type Walk = { left: number; readonly open: Set<object> };
type Place = { readonly walk: Walk; readonly depth: number; readonly isSecret: boolean };

/** Never throws. Drops undefined and functions, replaces bytes with their count and keeps the causes of errors. */
export function loggable(value: unknown): Json | undefined {
  return visit(value, { walk: { left: most.values, open: new Set() }, depth: 0, isSecret: false });
}

/** Redacts secrets in text. Values inside JSON are redacted by name, other text by pattern. */
export function loggableText(text: string): string {
  return visitText(text, { walk: { left: most.values, open: new Set() }, depth: 0, isSecret: false });
}

function visit(value: unknown, place: Place): Json | undefined {
  if (--place.walk.left < 0) return "…";
  switch (typeof value) {
    case "string":
      return visitText(value, place);
    case "number":
      return Number.isFinite(value) ? value : String(value);
    case "boolean":
      return value;
    case "bigint":
    case "symbol":
      return String(value);
    case "undefined":
    case "function":
      return undefined;
    case "object":
      return value === null ? null : enter(value, place);
  }
}

function visitText(text: string, place: Place): string {
  if (place.depth >= most.depth || text.length > most.jsonLength) return scrubText(text);
  const pieces = splitJson(text);
  if (pieces.some((piece) => "text" in piece && holdsSecretObject(piece.text))) return redactedMark;
  let before = "";
  const parts = pieces.map((piece) => {
    const isHidden = "json" in piece && endsInSecretName(before);
    before = "text" in piece ? piece.text : "";
    if (isHidden) return redactedMark;
    return "text" in piece
      ? scrubText(piece.text)
      : JSON.stringify(visit(piece.json, { ...place, depth: place.depth + 1 }));
  });
  return cutText(parts.join(""), most.textBytes);
}

function enter(value: object, { walk, depth, isSecret }: Place): Json {
  if (walk.open.has(value)) return "[circular]";
  if (depth >= most.depth) return "…";
  walk.open.add(value);
  try {
    return plain(value, { walk, depth: depth + 1, isSecret });
  } catch {
    return "[unreadable]";
  } finally {
    walk.open.delete(value);
  }
}

function plain(value: object, place: Place): Json {
  if (Array.isArray(value)) return list(value, place);
  if (value instanceof Error) return error(value, place);
  if (value instanceof Date) return String(value.getTime()) === "NaN" ? "Invalid Date" : value.toISOString();
  if (value instanceof URL) return scrubText(value.href);
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
  if (value instanceof Set) return list([...value], place);
  if (value instanceof Map || isHeaders(value)) return map(pairsOf(value), place);
  return map(Object.entries(value), place);
}

// Checks the name, because accessing the global `Headers` loads fetch, which permanently costs 6 MB.
function isHeaders(value: object): value is Headers {
  return Object.prototype.toString.call(value) === "[object Headers]";
}

function pairsOf(pairs: Iterable<readonly [unknown, unknown]>): readonly (readonly [string, unknown])[] {
  return Array.from(pairs, ([key, value]) => [String(key), value] as const);
}

// In raw headers and command lines, each value follows its name in the list.
function list(values: readonly unknown[], place: Place): readonly Json[] {
  return values.slice(0, leftOf(place)).map((value, at) => {
    const before = values[at - 1];
    const isValue = typeof before === "string" && /^[\w-]+$/.test(before) && isSecretName(before);
    return isValue && isHideable(value) ? redactedMark : (visit(value, place) ?? null);
  });
}

function error(value: Error, place: Place): JsonMap {
  const { name, message, stack = `${name}: ${message}`, cause, ...own } = value;
  const errors = value instanceof AggregateError ? { errors: value.errors as unknown } : {};
  const fields = { ...own, ...errors, type: name, message, stack, ...(cause !== undefined && { cause }) };
  return map(Object.entries(fields), place);
}

function map(entries: readonly (readonly [string, unknown])[], place: Place): JsonMap {
  const { kind, name } = Object.fromEntries(entries) as { readonly kind?: unknown; readonly name?: unknown };
  const isSecret = place.isSecret || kind === "Secret" || kind === "SecretList";
  const isHidden = (key: string) =>
    isSecretName(key) ||
    (isSecret && (key === "data" || key === "stringData")) ||
    (key === "value" && typeof name === "string" && isSecretName(name));
  const inside = { ...place, isSecret: kind === "SecretList" };
  return Object.fromEntries(
    entries
      .slice(0, leftOf(place))
      .map(([key, value]) => [
        scrubText(key),
        isHidden(key) && isHideable(value) ? redactedMark : visit(value, inside),
      ]),
  );
}

// Numbers and booleans are never secret, such as `tokens: 25` or `automountServiceAccountToken: false`.
function isHideable(value: unknown): boolean {
  return (typeof value === "string" && value !== "") || (typeof value === "object" && value !== null);
}

// Visits one value more than fits, so that the output shows the truncation mark.
function leftOf({ walk }: Place): number {
  return Math.max(0, walk.left) + 1;
}

const redactedMark = "[redacted]";

const maxBytes = 8_192;

const secretNames =
  /authorization|cookie|token|passw(?:or)?d|passphrase|secret|credential|privatekey|apikey|accesskey|keydata/;
// Names with these endings are not secret, such as the name of a Secret or the path of a token.
const harmlessEndings =
  /(?:name|namespace|refs?|file|path|type|kind|hash|reviews?|requests?|version|seconds|timestamp|audiences?)$/;

/** Reports whether the name of a header, field, variable or flag suggests a secret. Accepts any spelling. */
function isSecretName(name: string): boolean {
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  return secretNames.test(plain) && !harmlessEndings.test(plain);
}

const secretObject = /\bkind\\*["']?\s*:\s*\\*["']?Secret(?:List)?\b/;

/** Reports whether the text contains a Secret object, in YAML or JSON, complete or in part. */
function holdsSecretObject(text: string): boolean {
  return secretObject.test(text);
}

/** Reports whether a secret value follows the text, as after `token: `. */
function endsInSecretName(text: string): boolean {
  const name = /([\w-]{1,64})["']?\s{0,8}[:=]\s{0,8}$/.exec(text)?.[1];
  return name !== undefined && isSecretName(name);
}

// A fast path for most logged values: no token and no name-value pair.
const plainWord = /^[\w/]{0,200}$/;
// Each of these patterns must take linear time, so a word matches only from its start.
const privateKey = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g;
const token = /(?<![\w-])eyJ[\w-]{4,}\.[\w-]+(?:\.[\w-]*)?|\bsha256~[\w-]+/g;
const userInUrl = /\/\/[^/\s@]+@/g;
// The text is not valid JSON, so if a list or map follows a secret's name, the whole rest is redacted.
const header = /((?:authorization|cookie)\\*["']?\s*[:=]\s*\\*["']?)(?:[[{][\s\S]*|[^"'\\\r\n]+)/gi;
const scheme = /\b((?:Bearer|Basic)\s+)[^\s"',;\\]+/gi;
// Matches name=value, name: value, "name":"value", and "name","value". Quotes may be escaped, and the last may be
// missing.
const named =
  /(?<![\w-])([\w-]*(?:authorization|cookie|token|passw|passphrase|secret|credential|key)[\w-]*)(\\*["']?\s*[:=]\s*|\\*["']\s*,\s*(?=\\*["']))(\\*["']?[[{][\s\S]*|\\*"(?:[^"\\]|\\(?!"))*|'[^']*|[^\s"',;&}\]]+)/gi;
// Matches environment variables: { name: "A_TOKEN", value: "…" }.
const pair =
  /(\bname\\*["']?\s*[:=]\s*\\*["']?)([\w-]+)(\\*["']?[\s,\\n]*["']?value\\*["']?\s*[:=]\s*\\*["']?)([^\s"'\\]+)/gi;
const flag = /(?<![\w-])(--[\w-]+)(\s+)(\S+)/g;

/** Returns the first 8 kB without secrets. Redacts the whole text if it seems to contain a Secret object. */
export function scrubText(text: string): string {
  if (plainWord.test(text)) return text;
  if (holdsSecretObject(text)) return redactedMark;
  return cutText(text, maxBytes)
    .replaceAll(privateKey, redactedMark)
    .replaceAll(token, redactedMark)
    .replaceAll(userInUrl, `//${redactedMark}@`)
    .replaceAll(header, `$1${redactedMark}`)
    .replaceAll(scheme, `$1${redactedMark}`)
    .replaceAll(pair, (_, before: string, ...rest: [string, string, string]) => before + hideValue("", ...rest))
    .replaceAll(flag, hideValue)
    .replaceAll(named, hideValue);
}

function hideValue(...[, name, between, value]: [string, string, string, string]): string {
  return `${name}${between}${isSecretName(name) ? redactedMark : scrubText(value)}`;
}

/** `json` is a map, a list or a string that contains quotes. */
type Piece = { readonly text: string } | { readonly json: object | string };

// Limits the attempts, because each may scan the rest of the text.
const mostTries = 20;

/** Treats truncated or malformed JSON as text. */
function splitJson(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let rest = 0;
  for (let tries = 0, at = nextStart(text, 0); at >= 0 && tries < mostTries; tries++) {
    const end = endOf(text, at);
    const json = end === undefined ? undefined : parsed(text.slice(at, end));
    if (json !== undefined && end !== undefined) {
      pieces.push({ text: text.slice(rest, at) }, { json });
      rest = end;
    }
    at = nextStart(text, json === undefined ? at + 1 : rest);
  }
  return [...pieces, { text: text.slice(rest) }];
}

function nextStart(text: string, from: number): number {
  const start = /[{[]|"(?=[^"\\]*\\)/g;
  start.lastIndex = from;
  return start.exec(text)?.index ?? -1;
}

/** Returns the index after the matching bracket or quote. Ignores brackets in strings. */
function endOf(text: string, start: number): number | undefined {
  const marks = /["{}[\]]|\\./gs;
  marks.lastIndex = start;
  let depth = 0;
  let isString = false;
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    if (mark[0] === '"') isString = !isString;
    else if (!isString && !mark[0].startsWith("\\")) depth += mark[0] === "{" || mark[0] === "[" ? 1 : -1;
    if (depth === 0 && !isString) return marks.lastIndex;
  }
  return undefined;
}

function parsed(text: string): object | string | undefined {
  try {
    return JSON.parse(text) as object | string;
  } catch {
    return undefined;
  }
}
