import fc from "fast-check";
import { expect, test } from "vitest";
import { splitLines } from "./watch-frames.ts";

async function cut(pieces: readonly Buffer[]): Promise<readonly string[]> {
  const stream = (async function* () {
    yield* pieces;
  })();
  const lines: string[] = [];
  for await (const line of splitLines(stream)) lines.push(line.toString());
  return lines;
}

test("lines are complete and equal for any split into packets", async () => {
  const text = fc.string({ unit: fc.constantFrom("a", "ä", "\n", "🦎"), maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(text, fc.array(fc.nat(60), { maxLength: 8 }), async (text, cuts) => {
      const bytes = Buffer.from(text);
      const ends = [...cuts.map((cut) => Math.min(cut, bytes.length)).toSorted((a, b) => a - b), bytes.length];
      const pieces = ends.map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end));
      const lines = await cut(pieces);
      expect(lines.join("")).toBe(text);
      expect(lines).toEqual(text.match(/[^\n]*\n|[^\n]+$/g) ?? []);
    }),
  );
});
