// Escapes control and invisible characters in untrusted text for terminals.

const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

const escaped = (sign: string) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`;

/** Keeps line feeds and tabs. */
export function escapeText(text: string): string {
  return text.replaceAll(unsafe, (sign) => (sign === "\n" || sign === "\t" ? sign : escaped(sign)));
}

/** Replaces line breaks and tabs with spaces. */
export function escapeLine(text: string): string {
  return text.replaceAll(/[\t\n\r]+/gu, " ").replaceAll(unsafe, escaped);
}

/** Uses JSON escapes, such as `\u009b`, so the value stays the same. */
export function escapeJson(json: string): string {
  const inJson = (sign: string) =>
    [...Array(sign.length).keys()].map((at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, "0")}`).join("");
  return json.replaceAll(unsafe, (sign) => (sign === "\n" ? sign : inJson(sign)));
}
