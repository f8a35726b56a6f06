import fc from "fast-check";
import { expect, test } from "vitest";
import { FrameCutter } from "./exchange.ts";

test("lines are the same for any split into packets", () => {
  const line = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }).filter((text) => !text.includes("\n"));
  const law = fc.property(fc.array(line, { maxLength: 8 }), fc.array(fc.nat(100), { maxLength: 8 }), (lines, cuts) => {
    const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(""));
    const places = [...new Set([0, ...cuts.filter((at) => at < bytes.length), bytes.length])].toSorted((a, b) => a - b);
    const cutter = new FrameCutter(1000);
    const out = places.flatMap((at, index) => [...cutter.push(bytes.subarray(at, places[index + 1] ?? bytes.length))]);
    expect(out.map(String)).toEqual(lines);
  });
  fc.assert(law);
});
