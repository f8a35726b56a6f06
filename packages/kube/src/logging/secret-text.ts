// Recognizes secrets by their name or their form, also inside text and JSON in text.

import { cutText } from "@virt/objects";

export const redactedMark = "[redacted]";

const maxBytes = 8_192;

const secretNames =
  /authorization|cookie|token|passw(?:or)?d|passphrase|secret|credential|privatekey|apikey|accesskey|keydata/;
// Names with these endings are not secret, such as the name of a Secret or the path of a token.
const harmlessEndings =
  /(?:name|namespace|refs?|file|path|type|kind|hash|reviews?|requests?|version|seconds|timestamp|audiences?)$/;

/** Reports whether the name of a header, field, variable or flag suggests a secret. Accepts any spelling. */
export function isSecretName(name: string): boolean {
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  return secretNames.test(plain) && !harmlessEndings.test(plain);
}

const secretObject = /\bkind\\*["']?\s*:\s*\\*["']?Secret(?:List)?\b/;

/** Reports whether the text contains a Secret object, in YAML or JSON, complete or in part. */
export function holdsSecretObject(text: string): boolean {
  return secretObject.test(text);
}

/** Reports whether a secret value follows the text, as after `token: `. */
export function endsInSecretName(text: string): boolean {
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
export type Piece = { readonly text: string } | { readonly json: object | string };

// Limits the attempts, because each may scan the rest of the text.
const mostTries = 20;

/** Treats truncated or malformed JSON as text. */
export function splitJson(text: string): readonly Piece[] {
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
