import type { JsonMap } from "@virt/api";
import fc from "fast-check";
import { expect, test } from "vitest";
import { capabilityOf } from "./capability.ts";
import { derivedLimit, limitsOf, limitValue, limitWarning } from "./descheduler.ts";
import { loadAwareSettings } from "./facts.ts";
import { hcoWith } from "./testing/facts.ts";

const fields = { total: {}, node: {} };
const schema: JsonMap = { properties: { spec: { properties: { evictionLimits: { properties: fields } } } } };
const all = limitsOf(capabilityOf(schema));

const derived = (version: "v1" | "v1beta1", config: JsonMap) =>
  all.map((limit) => derivedLimit(limit, hcoWith(version, config).object));

const cases: readonly { reason: string; config: JsonMap; limits: readonly number[] }[] = [
  { reason: "the defaults are 5 and 2", config: {}, limits: [5, 2] },
  {
    reason: "invalid numbers count as the defaults",
    config: { parallelMigrationsPerCluster: 0, parallelOutboundMigrationsPerNode: -1 },
    limits: [5, 2],
  },
  { reason: "a text counts as the default", config: { parallelMigrationsPerCluster: "9" }, limits: [5, 2] },
  { reason: "each limit follows its own field", config: { parallelOutboundMigrationsPerNode: 4 }, limits: [5, 4] },
  { reason: "up to 10 migrations, all may be evictions", config: { parallelMigrationsPerCluster: 9 }, limits: [9, 2] },
  { reason: "10 migrations allow 10 evictions", config: { parallelMigrationsPerCluster: 10 }, limits: [10, 2] },
  { reason: "a fraction of an eviction is dropped", config: { parallelMigrationsPerCluster: 11 }, limits: [10, 2] },
  {
    reason: "beyond 10 migrations, 4 of 5 may be evictions",
    config: { parallelMigrationsPerCluster: 20 },
    limits: [18, 2],
  },
  {
    reason: "the limit per node is scaled in the same way",
    config: { parallelOutboundMigrationsPerNode: 15 },
    limits: [5, 14],
  },
];

test.each(cases)("$reason", ({ config, limits }) => {
  expect(derived("v1", config)).toEqual(limits);
  expect(derived("v1beta1", config)).toEqual(limits);
});

const beyond: readonly { reason: string; config: JsonMap; limits: readonly number[]; warnings: readonly string[] }[] = [
  {
    reason: "the HyperConverged yields at most 100 evictions per node",
    config: { parallelOutboundMigrationsPerNode: 1000 },
    limits: [5, 100],
    warnings: ["evictionLimits.node is limited to 100: HyperConverged parallelOutboundMigrationsPerNode is 1000"],
  },
  {
    reason: "the HyperConverged yields at most 1000 evictions in total",
    config: { parallelMigrationsPerCluster: 1249 },
    limits: [1000, 2],
    warnings: ["evictionLimits.total is limited to 1000: HyperConverged parallelMigrationsPerCluster is 1249"],
  },
  {
    reason: "values up to the maximum need no warning",
    config: { parallelMigrationsPerCluster: 1247, parallelOutboundMigrationsPerNode: 122 },
    limits: [999, 99],
    warnings: [],
  },
];

test.each(beyond)("$reason", ({ config, limits, warnings }) => {
  expect(derived("v1", config)).toEqual(limits);
  expect(all.flatMap((limit) => limitWarning(limit, hcoWith("v1beta1", config).object))).toEqual(warnings);
});

test("without a HyperConverged, the limits are 5 and 2", () => {
  expect(all.map((limit) => derivedLimit(limit, undefined))).toEqual([5, 2]);
});

test("limits that the user sets are not scaled", () => {
  const { object } = hcoWith("v1", { parallelMigrationsPerCluster: 20, parallelOutboundMigrationsPerNode: 20 });
  const values = (given: object) => all.map((limit) => limitValue(limit, loadAwareSettings(given), object));
  expect(values({ evictionLimitTotal: 100, evictionLimitNode: 50 })).toEqual([100, 50]);
  expect(values({ evictionLimitTotal: 100 })).toEqual([100, 18]);
  expect(values({ evictionLimitNode: 50 })).toEqual([18, 50]);
});

test("more migrations never allow fewer evictions, or more evictions than migrations", () => {
  const limitOf = (migrations: number) => derived("v1", { parallelMigrationsPerCluster: migrations })[0] ?? 0;
  const law = fc.property(fc.integer({ min: 1, max: 2 ** 31 - 2 }), (migrations) => {
    const [limit, next] = [limitOf(migrations), limitOf(migrations + 1)];
    return limit >= 1 && limit <= migrations && limit <= next && Number.isInteger(limit);
  });
  fc.assert(law);
});
