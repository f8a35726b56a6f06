import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  compareUtf8,
  cutMark,
  cutText,
  decodeUtf8,
  encodeUtf8,
  readDataUrl,
  sha256,
  utf8Length,
  writeDataUrl,
} from "./text.ts";

const anyText = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }), fc.string());

test("encodes any text like TextEncoder", () => {
  const law = fc.property(anyText, (text) => {
    const bytes = new TextEncoder().encode(text);
    const isLength = utf8Length(text) === bytes.length;
    return isLength && Buffer.compare(encodeUtf8(text), bytes) === 0 && decodeUtf8(bytes) === text.toWellFormed();
  });
  fc.assert(law);
});

test("replaces half of a surrogate pair", () => {
  expect(encodeUtf8("a\ud83d")).toEqual(new TextEncoder().encode("a\ufffd"));
  expect(utf8Length("a\ud83da")).toBe(5);
});

test("decodes bytes like TextDecoder, and rejects the same ones", () => {
  const edges = [
    0x00, 0x41, 0x7f, 0x80, 0xbf, 0xc0, 0xc2, 0xdf, 0xe0, 0xed, 0xef, 0xf0, 0xf4, 0xf5, 0xff, 0x9f, 0xa0, 0x90, 0x8f,
  ];
  const byte = fc.oneof(fc.constantFrom(...edges), fc.nat(255));
  const law = fc.property(fc.array(byte, { maxLength: 6 }), (given) => {
    const bytes = Uint8Array.from(given);
    return decodeUtf8(bytes) === decodeAsNode(bytes);
  });
  fc.assert(law);
});

function decodeAsNode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

test("orders texts by their bytes", () => {
  const wellFormed = anyText.map((text) => text.toWellFormed());
  const law = fc.property(wellFormed, wellFormed, (left, right) => {
    const byBytes = Buffer.compare(Buffer.from(left), Buffer.from(right));
    return Math.sign(compareUtf8(left, right)) === byBytes;
  });
  fc.assert(law);
  expect(compareUtf8("\u{1f600}", "\uffee")).toBeGreaterThan(0);
});

const bytes = (text: string) => Buffer.byteLength(text);

test.each([
  { reason: "keeps a text that fits", text: "äöü", limit: 6, cut: "äöü" },
  { reason: "marks a longer text", text: "abcdefgh", limit: 7, cut: "abcd…" },
  { reason: "does not split a character", text: "a😀😀", limit: 8, cut: "a😀…" },
  { reason: "does not split a character that fills the limit without the mark", text: "😀😀", limit: 7, cut: "😀…" },
])("$reason", ({ text, limit, cut }) => {
  expect(cutText(text, limit)).toBe(cut);
});

test("a cut text is the longest whole-character start that fits", () => {
  const texts = fc.string({ unit: "binary", size: "max", maxLength: 60 });
  const law = fc.property(texts, fc.integer({ min: 3, max: 80 }), (text, limit) => {
    const cut = cutText(text, limit);
    if (bytes(text) <= limit) return cut === text;
    const kept = Array.from(cut).slice(0, -1);
    const whole = Array.from(text);
    const next = whole[kept.length] ?? "";
    return (
      cut.endsWith(cutMark) &&
      bytes(cut) <= limit &&
      kept.every((character, at) => character === whole[at]) &&
      bytes(cut) + bytes(next) > limit
    );
  });
  fc.assert(law);
});

test("writes our own files in one form", () => {
  expect(writeDataUrl("é\n")).toBe("data:text/plain;charset=utf-8;base64,w6kK");
});

test.each([";base64", ";BASE64", ";Base64", "text/plain;bAsE64"])("content marked %s is base64", (mark) => {
  expect(readDataUrl(`data:${mark},YQ==`)).toEqual(Uint8Array.of(0x61));
});

test("a media type that mentions base64 is not base64", () => {
  expect(readDataUrl("data:text/base64,YQ")).toEqual(Uint8Array.of(0x59, 0x51));
});

test("reads any content in base64 and percent encoding", () => {
  const law = fc.property(fc.uint8Array({ maxLength: 20 }), (bytes) => {
    const percent = `data:,${Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, "0")}`).join("")}`;
    const base64 = `data:;base64,${Buffer.from(bytes).toString("base64")}`;
    return [base64, base64.replaceAll("=", ""), percent].every((url) => isSame(readDataUrl(url), bytes));
  });
  fc.assert(law);
});

test("reads base64 like Buffer, or rejects it", () => {
  const sign = fc.constantFrom(...Array.from("AZaz09+/=-_ \n.é"));
  const law = fc.property(fc.string({ unit: sign, maxLength: 12 }), (text) => {
    const isBase64 = /^[A-Za-z0-9+/]*={0,2}$/.test(text) && isWhole(text);
    const bytes = readDataUrl(`data:;base64,${text}`);
    return isBase64 ? isSame(bytes, Buffer.from(text, "base64")) : bytes === undefined;
  });
  fc.assert(law);
});

function isWhole(text: string): boolean {
  return text.includes("=") ? text.length % 4 === 0 : text.length % 4 !== 1;
}

test("reads and writes a megabyte", () => {
  const text = "é0123456789".repeat(90_000);
  expect(isSame(readDataUrl(writeDataUrl(text)), Buffer.from(text))).toBe(true);
});

function isSame(left: Uint8Array | undefined, right: Uint8Array): boolean {
  return left !== undefined && Buffer.compare(left, right) === 0;
}

const oracle = (text: string) => createHash("sha256").update(text, "utf8").digest("hex");

test("equals the hash of node:crypto for any text", () => {
  const text = fc.oneof(fc.string({ unit: "binary", maxLength: 300 }), fc.string({ unit: "grapheme", maxLength: 100 }));
  fc.assert(fc.property(text, (given) => sha256(given) === oracle(given)));
});

test("hashes texts of any length around block borders", () => {
  for (let length = 0; length <= 200; length++) expect(sha256("x".repeat(length))).toBe(oracle("x".repeat(length)));
});

test("hashes a megabyte", () => {
  const text = "0123456789abcdef".repeat(65_536);
  expect(sha256(text)).toBe(oracle(text));
});
