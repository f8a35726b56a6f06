import fc from "fast-check";
import { expect, test } from "vitest";
import { cutMark, cutText } from "./bytes.ts";

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
