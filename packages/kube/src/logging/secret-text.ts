// What a secret looks like: by the name it stands under, or by its own form in the middle of a text or of JSON in a text.

import { cutText } from "@virt/engine";

export const redactedMark = "[redacted]";

const maxBytes = 8_192;

const secretNames =
  /authorization|cookie|token|passw(?:or)?d|passphrase|secret|credential|privatekey|apikey|accesskey|keydata/;
// The name of a Secret, or the path of a token, is no secret.
const harmlessEndings =
  /(?:name|namespace|refs?|file|path|type|kind|hash|reviews?|requests?|version|seconds|timestamp|audiences?)$/;

/** Whether something of this name is secret: a header, a field, a variable, a flag, in any spelling. */
export function isSecretName(name: string): boolean {
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  return secretNames.test(plain) && !harmlessEndings.test(plain);
}

const secretObject = /\bkind\\*["']?\s*:\s*\\*["']?Secret(?:List)?\b/;

/** Whether it seems to be a Secret as YAML or as JSON, or a part of one. */
export function holdsSecretObject(text: string): boolean {
  return secretObject.test(text);
}

/** Whether what follows the text is the value of something secret: `token: `. */
export function endsInSecretName(text: string): boolean {
  const name = /([\w-]{1,64})["']?\s{0,8}[:=]\s{0,8}$/.exec(text)?.[1];
  return name !== undefined && isSecretName(name);
}

// Most of what is logged: neither a token nor a name with its value.
const plainWord = /^[\w/]{0,200}$/;
// Each of these takes linear time: a word is entered at its beginning only.
const privateKey = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g;
// A JWT, which every ServiceAccount's token is, or a token of OpenShift.
const token = /(?<![\w-])eyJ[\w-]{4,}\.[\w-]+(?:\.[\w-]*)?|\bsha256~[\w-]+/g;
const userInUrl = /\/\/[^/\s@]+@/g;
// Behind a secret's name a list or a map hides all that follows: it was no whole JSON, so nobody knows where it ends.
const header = /((?:authorization|cookie)\\*["']?\s*[:=]\s*\\*["']?)(?:[[{][\s\S]*|[^"'\\\r\n]+)/gi;
const scheme = /\b((?:Bearer|Basic)\s+)[^\s"',;\\]+/gi;
// name=value, name: value, "name":"value", "name","value", also where quotes are escaped or the last one is missing.
const named =
  /(?<![\w-])([\w-]*(?:authorization|cookie|token|passw|passphrase|secret|credential|key)[\w-]*)(\\*["']?\s*[:=]\s*|\\*["']\s*,\s*(?=\\*["']))(\\*["']?[[{][\s\S]*|\\*"(?:[^"\\]|\\(?!"))*|'[^']*|[^\s"',;&}\]]+)/gi;
// { name: "A_TOKEN", value: "…" }, as environments are written
const pair =
  /(\bname\\*["']?\s*[:=]\s*\\*["']?)([\w-]+)(\\*["']?[\s,\\n]*["']?value\\*["']?\s*[:=]\s*\\*["']?)([^\s"'\\]+)/gi;
const flag = /(?<![\w-])(--[\w-]+)(\s+)(\S+)/g;

/**
 * The text, or the first 8 kB of it, without what looks like a secret. A text that seems to hold a Secret object goes as
 * a whole.
 */
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

/** A map, a list, or a string that has quotes inside. */
export type Piece = { readonly text: string } | { readonly json: object | string };

// Looking for an end costs the rest of the text each time.
const mostTries = 20;

/** The pieces of a text in their order; JSON that is cut or malformed is text. */
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

/** Behind the bracket or quote that closes the one at `start`; brackets in strings do not count. */
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
    return undefined; // only looks like it
  }
}
