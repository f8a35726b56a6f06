// Base64 (RFC 4648), for code that has neither Buffer nor atob.

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const values = new Map(Array.from(alphabet, (sign, value) => [sign.charCodeAt(0), value]));
const padding = 0x3d;

/** With padding, in one line. */
export function encodeBase64(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 3) parts.push(encodeThree(bytes, at));
  return parts.join("");
}

function encodeThree(bytes: Uint8Array, at: number): string {
  const bits = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
  const signs = [18, 12, 6, 0].map((shift) => alphabet.charAt((bits >> shift) & 0x3f)).join("");
  return signs.slice(0, bytes.length - at + 1).padEnd(4, "=");
}

/** Undefined if the text is not base64. Padding may be left out; white space and signs of other alphabets may not be there. */
export function decodeBase64(text: string): Uint8Array | undefined {
  const length = unpaddedLength(text);
  if (length === undefined || length % 4 === 1) return undefined;
  const bytes = new Uint8Array(Math.floor((length * 3) / 4));
  let bits = 0;
  let filled = 0;
  for (let at = 0; at < length; at++) {
    const value = values.get(text.charCodeAt(at));
    if (value === undefined) return undefined;
    bits = ((bits << 6) | value) & 0xffff;
    const spare = (at % 4) * 2;
    if (spare > 0) bytes[filled++] = (bits >> (6 - spare)) & 0xff;
  }
  return bytes;
}

// Padding, if there is any, fills the text to a multiple of four.
function unpaddedLength(text: string): number | undefined {
  let length = text.length;
  while (length > 0 && text.length - length < 2 && text.charCodeAt(length - 1) === padding) length--;
  return length < text.length && text.length % 4 !== 0 ? undefined : length;
}
