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
  { reason: "what is not said is 5 and 2", config: {}, limits: [5, 2] },
  {
    reason: "what makes no sense is 5 and 2",
    config: { parallelMigrationsPerCluster: 0, parallelOutboundMigrationsPerNode: -1 },
    limits: [5, 2],
  },
  { reason: "what is no number is 5", config: { parallelMigrationsPerCluster: "9" }, limits: [5, 2] },
  { reason: "each is raised on its own", config: { parallelOutboundMigrationsPerNode: 4 }, limits: [5, 4] },
  { reason: "up to ten all migrations may be evictions", config: { parallelMigrationsPerCluster: 9 }, limits: [9, 2] },
  { reason: "ten are ten", config: { parallelMigrationsPerCluster: 10 }, limits: [10, 2] },
  { reason: "a part of one is none", config: { parallelMigrationsPerCluster: 11 }, limits: [10, 2] },
  { reason: "of further ones four in five", config: { parallelMigrationsPerCluster: 20 }, limits: [18, 2] },
  { reason: "one node is scaled alike", config: { parallelOutboundMigrationsPerNode: 15 }, limits: [5, 14] },
];

test.each(cases)("$reason", ({ config, limits }) => {
  expect(derived("v1", config)).toEqual(limits);
  expect(derived("v1beta1", config)).toEqual(limits);
});

const beyond: readonly { reason: string; config: JsonMap; limits: readonly number[]; warnings: readonly string[] }[] = [
  {
    reason: "no more than 100 evictions from a node follow from the HyperConverged",
    config: { parallelOutboundMigrationsPerNode: 1000 },
    limits: [5, 100],
    warnings: ["evictionLimits.node is limited to 100: HyperConverged parallelOutboundMigrationsPerNode is 1000"],
  },
  {
    reason: "and no more than 1000 in all",
    config: { parallelMigrationsPerCluster: 1249 },
    limits: [1000, 2],
    warnings: ["evictionLimits.total is limited to 1000: HyperConverged parallelMigrationsPerCluster is 1249"],
  },
  {
    reason: "what comes to the bound needs no warning",
    config: { parallelMigrationsPerCluster: 1247, parallelOutboundMigrationsPerNode: 122 },
    limits: [999, 99],
    warnings: [],
  },
];

test.each(beyond)("$reason", ({ config, limits, warnings }) => {
  expect(derived("v1", config)).toEqual(limits);
  expect(all.flatMap((limit) => limitWarning(limit, hcoWith("v1beta1", config).object))).toEqual(warnings);
});

test("without a HyperConverged they are 5 and 2", () => {
  expect(all.map((limit) => derivedLimit(limit, undefined))).toEqual([5, 2]);
});

test("what the user says is not scaled, and each stands for itself", () => {
  const { object } = hcoWith("v1", { parallelMigrationsPerCluster: 20, parallelOutboundMigrationsPerNode: 20 });
  const values = (given: object) => all.map((limit) => limitValue(limit, loadAwareSettings(given), object));
  expect(values({ evictionLimitTotal: 100, evictionLimitNode: 50 })).toEqual([100, 50]);
  expect(values({ evictionLimitTotal: 100 })).toEqual([100, 18]);
  expect(values({ evictionLimitNode: 50 })).toEqual([18, 50]);
});

test("more migrations never mean fewer evictions, nor more evictions than migrations", () => {
  const limitOf = (migrations: number) => derived("v1", { parallelMigrationsPerCluster: migrations })[0] ?? 0;
  const law = fc.property(fc.integer({ min: 1, max: 2 ** 31 - 2 }), (migrations) => {
    const [limit, next] = [limitOf(migrations), limitOf(migrations + 1)];
    return limit >= 1 && limit <= migrations && limit <= next && Number.isInteger(limit);
  });
  fc.assert(law);
});
