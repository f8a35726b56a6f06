import { asList, asText, at, type JsonMap } from "@virt/objects";
import { expect, test } from "vitest";
import { metricNames } from "../../../tools/generate/metrics-page.ts";
import { assetFacts } from "../../testing/asset-facts.ts";
import asset from "./asset.ts";

const panels = Object.values(at(asset.render(assetFacts(asset)), "spec", "config", "panels") as JsonMap);
const queries = panels.flatMap((panel) =>
  asList(at(panel, "spec", "queries")).flatMap((query) => asText(at(query, "spec", "plugin", "spec", "query")) ?? []),
);

test("every query uses only metrics that the platform controller exposes", () => {
  const known = new Set(metricNames("platform"));
  const asked = queries.flatMap((query) => query.match(/\b(?:kubevirt|workqueue|process|nodejs)_\w+/g) ?? []);
  expect(asked.length).toBeGreaterThanOrEqual(queries.length);
  expect(asked.map((name) => name.replace(/_bucket$/, "")).filter((name) => !known.has(name))).toEqual([]);
});

test("shows the leader and the state of the managed objects", () => {
  const titles = panels.map((panel) => at(panel, "spec", "display", "name"));
  expect(titles).toEqual(expect.arrayContaining(["Platform leaders", "Objects out of sync", "Compliance"]));
  expect(titles).not.toContain("Advisor leaders");
});
