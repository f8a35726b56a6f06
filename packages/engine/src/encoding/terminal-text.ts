// Text of others made safe for a terminal: control characters and invisible characters become visible escapes.

/** Control, format and unpaired surrogate characters, and the line separators of Unicode. */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

const escaped = (sign: string) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`;

/** Keeps line feeds and tabs. */
export function escapeText(text: string): string {
  return text.replaceAll(unsafe, (sign) => (sign === "\n" || sign === "\t" ? sign : escaped(sign)));
}

/** One line: line breaks and tabs become spaces. */
export function escapeLine(text: string): string {
  return text.replaceAll(/[\t\n\r]+/gu, " ").replaceAll(unsafe, escaped);
}

/** The same JSON value with only visible characters: `\u009b` for U+009B. */
export function escapeJson(json: string): string {
  const inJson = (sign: string) =>
    [...Array(sign.length).keys()].map((at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, "0")}`).join("");
  return json.replaceAll(unsafe, (sign) => (sign === "\n" ? sign : inJson(sign)));
}
