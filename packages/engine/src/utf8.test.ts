import fc from "fast-check";
import { expect, test } from "vitest";
import { compareUtf8, encodeUtf8 } from "./utf8.ts";

const anyText = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }), fc.string());

test("every text has the bytes that TextEncoder gives it", () => {
  const law = fc.property(anyText, (text) => {
    expect(encodeUtf8(text)).toEqual(new TextEncoder().encode(text));
  });
  fc.assert(law, { numRuns: 20_000 });
});

test("half a surrogate pair becomes the replacement character", () => {
  expect(encodeUtf8("a\ud83d")).toEqual(new TextEncoder().encode("a\ufffd"));
});

test("texts are ordered as their bytes are", () => {
  const wellFormed = anyText.map((text) => text.toWellFormed());
  const law = fc.property(wellFormed, wellFormed, (left, right) => {
    const byBytes = Buffer.compare(Buffer.from(left), Buffer.from(right));
    expect(Math.sign(compareUtf8(left, right))).toBe(byBytes);
  });
  fc.assert(law, { numRuns: 20_000 });
  expect(compareUtf8("\u{1f600}", "\uffee")).toBeGreaterThan(0);
});
