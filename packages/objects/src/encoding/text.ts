// Text and bytes: UTF-8, hashes, data URLs, and escapes of control characters for terminals.

import { sha256 as sha256Bytes } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Replaces unpaired surrogates with U+FFFD. */
export function encodeUtf8(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/** Returns undefined if the bytes are not UTF-8. Keeps a byte order mark. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Returns the length in bytes. A lone surrogate counts as three. */
export function utf8Length(text: string): number {
  return encoder.encode(text).length;
}

/** Compares by UTF-8 bytes, and so by code point instead of UTF-16 unit. */
export function compareUtf8(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  let at = 0;
  while (at < length && left.charCodeAt(at) === right.charCodeAt(at)) at++;
  if (at === length) return left.length - right.length;
  return rank(left.charCodeAt(at)) - rank(right.charCodeAt(at));
}

// Ranks surrogates highest. Their code units are below U+E000, but they encode the highest code points.
function rank(unit: number): number {
  if (unit >= 0xe000) return unit - 0x800;
  return unit >= 0xd800 ? unit + 0x2000 : unit;
}

/** Returns lower-case hex. */
export function sha256(content: string | Uint8Array): string {
  return bytesToHex(sha256Bytes(typeof content === "string" ? encodeUtf8(content) : content));
}

const shape = /^data:([^,]*),/i;

/** Returns undefined if the string is not a valid data URL. */
export function readDataUrl(url: string): Uint8Array | undefined {
  const match = shape.exec(url);
  const data = match === null ? undefined : unescapePercent(url.slice(match[0].length));
  if (match === null || data === undefined) return undefined;
  return /;base64$/i.test(match[1] ?? "") ? decodeBase64(binaryString(data)) : data;
}

/** Returns a data URL. Never change its format, because any changed byte reboots a pool. */
export function writeDataUrl(text: string): string {
  return `data:text/plain;charset=utf-8;base64,${btoa(binaryString(encodeUtf8(text)))}`;
}

/** Accepts missing padding. Rejects white space as Ignition does, although `atob` would skip it. */
function decodeBase64(text: string): Uint8Array | undefined {
  if (/\s/.test(text)) return undefined;
  try {
    const binary = atob(text);
    const bytes = new Uint8Array(binary.length);
    for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
    return bytes;
  } catch {
    return undefined;
  }
}

function unescapePercent(text: string): Uint8Array | undefined {
  const bytes = encodeUtf8(text);
  const plain: number[] = [];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte !== percent) plain.push(byte);
    else {
      const digits = binaryString(bytes.subarray(at + 1, at + 3));
      if (!/^[0-9a-fA-F]{2}$/.test(digits)) return undefined;
      plain.push(Number.parseInt(digits, 16));
      at += 2;
    }
  }
  return Uint8Array.from(plain);
}

const percent = 0x25;

/** Converts bytes to a string in chunks, because the number of function arguments is limited. */
function binaryString(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 8192) parts.push(String.fromCharCode(...bytes.subarray(at, at + 8192)));
  return parts.join("");
}

export const cutMark = "…";

/** Returns at most `maxBytes` bytes of UTF-8, including the mark. Never splits a character. */
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
