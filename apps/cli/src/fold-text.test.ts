import { expect, test } from "vitest";
import { foldLine, lastLines } from "./fold-text.ts";

test("keeps the last lines that fit the terminal after wrapping", () => {
  const lines = ["one", "\u001B[1mtwo\u001B[0m", "x".repeat(25), "four"];
  expect(lastLines(lines, { rows: 5, columns: 10 })).toEqual({ lines: lines.slice(1), height: 5 });
  expect(lastLines(lines, { rows: 4, columns: 10 })).toEqual({ lines: lines.slice(2), height: 4 });
  expect(lastLines(["y".repeat(100)], { rows: 4, columns: 10 })).toEqual({ lines: ["y".repeat(100)], height: 10 });
  expect(lastLines(lines, { rows: 9, columns: 80 })).toEqual({ lines, height: 4 });
});

test("a folded line keeps the alignment of its first word", () => {
  const line = "Impact:   Reboots 3 nodes, one at a time.";
  expect(foldLine(line, line, 30)).toBe("Impact:   Reboots 3 nodes, one\n  at a time.");
});
