// Data URLs (RFC 2397): the contents of a file, written into its address.

import { decodeBase64, encodeBase64 } from "./base64.ts";
import { encodeUtf8 } from "./utf8.ts";

const shape = /^data:([^,]*),/i;

/** Undefined if it is another kind of address, or broken. */
export function readDataUrl(url: string): Uint8Array | undefined {
  const match = shape.exec(url);
  const data = match === null ? undefined : unescapePercent(url.slice(match[0].length));
  if (match === null || data === undefined) return undefined;
  return /;base64$/i.test(match[1] ?? "") ? decodeBase64(asciiOf(data)) : data;
}

/** In the one form that our own MachineConfigs use: a changed byte would reboot a pool. */
export function writeDataUrl(text: string): string {
  return `data:text/plain;charset=utf-8;base64,${encodeBase64(encodeUtf8(text))}`;
}

function unescapePercent(text: string): Uint8Array | undefined {
  const bytes = encodeUtf8(text);
  const plain: number[] = [];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte !== percent) plain.push(byte);
    else {
      const digits = asciiOf(bytes.subarray(at + 1, at + 3));
      if (!/^[0-9a-fA-F]{2}$/.test(digits)) return undefined;
      plain.push(Number.parseInt(digits, 16));
      at += 2;
    }
  }
  return Uint8Array.from(plain);
}

const percent = 0x25;

// Bytes above ASCII become signs that base64 does not have.
function asciiOf(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 8192) parts.push(String.fromCharCode(...bytes.subarray(at, at + 8192)));
  return parts.join("");
}
