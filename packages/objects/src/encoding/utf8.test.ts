import fc from "fast-check";
import { expect, test } from "vitest";
import { compareUtf8, decodeUtf8, encodeUtf8, utf8Length } from "./bytes.ts";

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
