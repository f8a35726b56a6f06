// Knows what a secret looks like: by the name it stands under, or by its own form in the middle of a text.

import { cutText } from "../wire/cut-text.ts";

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
