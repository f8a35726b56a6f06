import { expect, test } from "vitest";
import { startProgress } from "./progress.ts";

function record(sink: { readonly isTTY: boolean; readonly columns?: number }, terminal = "xterm") {
  const written: string[] = [];
  let time = 0;
  let tick = () => {};
  const environment = {
    terminal,
    now: () => time,
    every: (_milliseconds: number, run: () => void) => {
      tick = run;
      return () => void (tick = () => {});
    },
  };
  const progress = startProgress("build", { ...sink, write: (text: string) => written.push(text) }, environment);
  return { progress, written, at: (milliseconds: number) => void (time = milliseconds), tick: () => tick() };
}

test("writes a line every five seconds to a log", () => {
  const { progress, written, at } = record({ isTTY: false });
  for (let second = 0; second <= 75; second += 0.5) {
    at(second * 1000);
    progress.update(`${second}`);
  }
  progress.done("from cache");
  expect(written).toHaveLength(1 + 15 + 1);
  expect(written.at(1)).toBe("  ... build: 5, 5.0s\n");
  expect(written.at(-1)).toBe("  ok: build from cache (1m15s)\n");
});

test("redraws one line at a terminal", () => {
  const { progress, written } = record({ isTTY: true });
  progress.update("1 of 2");
  progress.fail();
  const redraw = "\r\u001b[K";
  expect(written).toEqual([
    `${redraw}> build`,
    `${redraw}  ... build: 1 of 2, 0.0s`,
    `${redraw}  FAILED: build (0.0s)\n`,
  ]);
});

test("shows the time of a silent step until it ends", () => {
  const { progress, written, at, tick } = record({ isTTY: true });
  at(3_000);
  tick();
  expect(written.at(-1)).toBe("\r\u001b[K  ... build, 3.0s");
  progress.done("");
  tick();
  expect(written.at(-1)).toBe("\r\u001b[K  ok: build (3.0s)\n");
});

test("writes whole lines to a terminal that cannot redraw", () => {
  const { progress, written } = record({ isTTY: true }, "dumb");
  progress.done("");
  expect(written).toEqual(["> build\n", "  ok: build (0.0s)\n"]);
});

test.each([
  { columns: 20, width: 19 },
  { columns: 0, width: 79 },
])("limits a report to $width characters on a terminal of $columns columns", ({ columns, width }) => {
  const { progress, written } = record({ isTTY: true, columns });
  progress.update("one pod cannot be scheduled ".repeat(10));
  const shown = written.at(-1)?.replace("\r\u001b[K", "");
  expect(shown).toMatch(/^ {2}\.\.\. build: one.*…$/);
  expect(shown).toHaveLength(width);
});
