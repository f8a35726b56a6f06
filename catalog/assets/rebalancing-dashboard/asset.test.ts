import { asList, at, type JsonMap } from "@virt/objects";
import { expect, test } from "vitest";
import { assetFacts } from "../../testing/asset-facts.ts";
import asset from "./asset.ts";

const panels = Object.values(at(asset.render(assetFacts(asset)), "spec", "config", "panels") as JsonMap);

test("shows utilization and pressure of each node with the average of the workers, and the evictions", () => {
  const shown = panels.map((panel) => [
    at(panel, "spec", "display", "name"),
    ...asList(at(panel, "spec", "queries")).map((query) => at(query, "spec", "plugin", "spec", "query")),
  ]);
  expect(shown).toEqual([
    ...["utilization", "pressure"].flatMap((measure) =>
      [["CPU", "cpu"] as const, ["Memory", "memory"] as const].map(([title, resource]) => [
        `${title} ${measure}`,
        `max by (instance) (descheduler:node${measure}:${resource}:avg1m)`,
        `max(descheduler:averageworkers${measure}:${resource}:avg1m)`,
      ]),
    ),
    ["Evictions by node", "sum by (node, result) (increase(descheduler_pods_evicted_total[5m]))"],
    ["Evictions by namespace", "sum by (exported_namespace) (increase(descheduler_pods_evicted_total[5m]))"],
  ]);
});

test("is applied only where load-aware rebalancing is switched on and the descheduler exists", () => {
  expect(asset).toMatchObject({ switch: { annotation: "enable-loadaware", default: "off" } });
  expect(asset.gates?.map(({ kind }) => kind)).toEqual(["KubeDescheduler"]);
});
