// UTF-8, for code that has no TextEncoder.

/** Half a surrogate pair becomes U+FFFD, as everywhere. */
export function encodeUtf8(text: string): Uint8Array {
  const bytes: number[] = [];
  for (const character of text) pushCodePoint(bytes, character.codePointAt(0) ?? 0);
  return Uint8Array.from(bytes);
}

function pushCodePoint(bytes: number[], codePoint: number): void {
  const isHalf = codePoint >= 0xd800 && codePoint <= 0xdfff;
  const value = isHalf ? 0xfffd : codePoint;
  if (value < 0x80) bytes.push(value);
  else if (value < 0x800) bytes.push(0xc0 | (value >> 6), tail(value));
  else if (value < 0x10000) bytes.push(0xe0 | (value >> 12), tail(value >> 6), tail(value));
  else bytes.push(0xf0 | (value >> 18), tail(value >> 12), tail(value >> 6), tail(value));
}

function tail(bits: number): number {
  return 0x80 | (bits & 0x3f);
}

/** Orders texts as their UTF-8 bytes are ordered, which is by code point and not by UTF-16 unit. */
export function compareUtf8(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  let at = 0;
  while (at < length && left.charCodeAt(at) === right.charCodeAt(at)) at++;
  if (at === length) return left.length - right.length;
  return rank(left.charCodeAt(at)) - rank(right.charCodeAt(at));
}

// Surrogates stand for code points above all others, but their units lie below U+E000.
function rank(unit: number): number {
  if (unit >= 0xe000) return unit - 0x800;
  return unit >= 0xd800 ? unit + 0x2000 : unit;
}
