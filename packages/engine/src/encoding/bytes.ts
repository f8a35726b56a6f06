// Texts as bytes: UTF-8 and its order, SHA-256, and data URLs.

import { sha256 as sha256Bytes } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Half a surrogate pair becomes U+FFFD. */
export function encodeUtf8(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/** Undefined if the bytes are not UTF-8. A byte order mark is content. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** How many bytes a text has. */
export function utf8Length(text: string): number {
  return encoder.encode(text).length;
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

/** Lower-case hex of the hash of bytes, or of a text's UTF-8 bytes. */
export function sha256(content: string | Uint8Array): string {
  return bytesToHex(sha256Bytes(typeof content === "string" ? encodeUtf8(content) : content));
}

const shape = /^data:([^,]*),/i;

/** The decoded bytes. Undefined if it is another kind of address, or broken. */
export function readDataUrl(url: string): Uint8Array | undefined {
  const match = shape.exec(url);
  const data = match === null ? undefined : unescapePercent(url.slice(match[0].length));
  if (match === null || data === undefined) return undefined;
  return /;base64$/i.test(match[1] ?? "") ? decodeBase64(binaryString(data)) : data;
}

/** In the one form that our own MachineConfigs use: a changed byte would reboot a pool. */
export function writeDataUrl(text: string): string {
  return `data:text/plain;charset=utf-8;base64,${btoa(binaryString(encodeUtf8(text)))}`;
}

/** Padding may be left out; white space, which atob skips, is refused as Ignition refuses it. */
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

/** One character for each byte, as btoa and atob speak; in pieces, for an argument list has a limit. */
function binaryString(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 8192) parts.push(String.fromCharCode(...bytes.subarray(at, at + 8192)));
  return parts.join("");
}

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
