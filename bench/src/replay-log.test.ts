import { expect, test } from "vitest";
import { ReplayLog } from "./replay-log.ts";

type Item = { metadata: { name: string; resourceVersion: string; annotations?: object }; data: { value: string } };

const linesOf = (text: string) =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { type: string; object: Item });

test("applying all frames to the first list gives the second", () => {
  const log = new ReplayLog(50);
  const held = new Map((JSON.parse(log.list()) as { items: Item[] }).items.map((item) => [item.metadata.name, item]));
  const last = log.advance(200);
  for (const { object } of linesOf(log.frames(51, log.head))) held.set(object.metadata.name, object);
  const { items } = JSON.parse(log.list()) as { items: Item[] };
  expect([...held.values()]).toEqual(items);
  expect(held.get(last.name)?.data.value).toBe(last.value);
  expect(log.versions()).toEqual(items.map(({ metadata: { name, resourceVersion: version } }) => ({ name, version })));
});

test("a streamed list ends with a bookmark of its version", () => {
  const log = new ReplayLog(20);
  log.advance(7);
  const lines = linesOf([...log.initial()].join(""));
  expect(lines.slice(0, -1).map(({ object }) => object)).toEqual((JSON.parse(log.list()) as { items: Item[] }).items);
  expect(lines.at(-1)).toMatchObject({
    type: "BOOKMARK",
    object: { metadata: { resourceVersion: "27", annotations: { "k8s.io/initial-events-end": "true" } } },
  });
});
