import { expect, test } from "vitest";
import { startProgress } from "./progress.ts";

function record(isTTY: boolean) {
  const lines: string[] = [];
  let time = 0;
  const progress = startProgress("build", { isTTY, write: (text: string) => lines.push(text) }, () => time);
  return { progress, lines, at: (milliseconds: number) => (time = milliseconds) };
}

test("a log gets a line every five seconds, however often the step reports", () => {
  const { progress, lines, at } = record(false);
  for (let second = 0; second <= 75; second += 0.5) {
    at(second * 1000);
    progress.update(`${second}`);
  }
  progress.done("from cache");
  expect(lines).toHaveLength(1 + 15 + 1);
  expect(lines.at(1)).toBe("  ... build: 5, 5.0s\n");
  expect(lines.at(-1)).toBe("  ok: build from cache (1m15s)\n");
});

test("a terminal gets one line that renews itself, from the first report on", () => {
  const { progress, lines } = record(true);
  progress.update("1 of 2");
  progress.fail();
  expect(lines).toEqual(["> build\n", "\r\u001b[K  ... build: 1 of 2, 0.0s", "\r\u001b[K  FAILED: build (0.0s)\n"]);
});
