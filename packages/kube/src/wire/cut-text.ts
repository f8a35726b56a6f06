// Cuts texts that are too long for a field of the API server.

import { utf8Length } from "@virt/engine";

/** At the end of a text that was cut. */
export const cutMark = "…";

/** The text, if it has at most `maxBytes` bytes of UTF-8; else as many whole characters of it as fit before the mark. */
export function cutText(text: string, maxBytes: number): string {
  if (utf8Length(text) <= maxBytes) return text;
  let left = maxBytes - utf8Length(cutMark);
  let end = 0;
  for (const character of text) {
    left -= utf8Length(character);
    if (left < 0) break;
    end += character.length;
  }
  return text.slice(0, end) + cutMark;
}
