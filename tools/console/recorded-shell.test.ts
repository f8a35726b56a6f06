import { expect, test } from "vitest";
import { writeCast } from "./recorded-shell.ts";

test("a cast has a header, a line per frame, and only short pauses", () => {
  const frames = [
    { atMs: 5_000, text: "$ " },
    { atMs: 5_250, text: "\u001b[1mbold\u001b[0m\r\n" },
    { atMs: 95_250, text: "$ " },
  ];
  const [header = "", ...events] = writeCast("a title", frames).trimEnd().split("\n");
  expect(JSON.parse(header)).toEqual({ version: 2, width: 110, height: 34, title: "a title" });
  expect(events.map((line) => JSON.parse(line) as unknown)).toEqual([
    [0, "o", "$ "],
    [0.25, "o", "\u001b[1mbold\u001b[0m\r\n"],
    [1.75, "o", "$ "],
  ]);
});
