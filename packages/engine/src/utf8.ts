// UTF-8, for code that has neither TextEncoder nor TextDecoder.

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

/** How many bytes a text has. */
export function utf8Length(text: string): number {
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) length += 1;
    else if (unit < 0x800) length += 2;
    else if (isPair(text, at)) {
      length += 4;
      at++;
    } else length += 3;
  }
  return length;
}

function isPair(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
}

/** Undefined if the bytes are not UTF-8: overlong forms, surrogates and what lies beyond U+10FFFF are not. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const lead = bytes[at] ?? 0;
    const form = forms.find(({ mask, mark }) => (lead & mask) === mark);
    if (form === undefined) return undefined;
    const codePoint = readTail(bytes.subarray(at + 1, at + form.size), lead & ~form.mask);
    if (at + form.size > bytes.length || !isEncodable(codePoint, form.least)) return undefined;
    parts.push(String.fromCodePoint(codePoint));
    at += form.size;
  }
  return parts.join("");
}

const forms = [
  { size: 1, mask: 0x80, mark: 0x00, least: 0 },
  { size: 2, mask: 0xe0, mark: 0xc0, least: 0x80 },
  { size: 3, mask: 0xf0, mark: 0xe0, least: 0x800 },
  { size: 4, mask: 0xf8, mark: 0xf0, least: 0x10000 },
];

function readTail(bytes: Uint8Array, lead: number): number {
  let codePoint = lead;
  for (const byte of bytes) codePoint = (byte & 0xc0) === 0x80 ? (codePoint << 6) | (byte & 0x3f) : Number.NaN;
  return codePoint;
}

function isEncodable(codePoint: number, least: number): boolean {
  return codePoint >= least && codePoint <= 0x10ffff && (codePoint < 0xd800 || codePoint > 0xdfff);
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
