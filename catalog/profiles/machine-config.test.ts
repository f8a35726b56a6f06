// Which pools a MachineConfig for the workers does not reach, and how that is said.

import type { KubeObject } from "@virt/api";
import { expect, test } from "vitest";
import { poolWarnings, workerConfig } from "./machine-config.ts";
import { infraPool, masterPool, workerPool } from "./pool-world.ts";

const machineConfig = workerConfig("99-worker-x", {});
const empty = "MachineConfigPool 'worker' has no machines; no node takes this configuration";

type Case = { reason: string; pools: readonly KubeObject[]; warnings: readonly string[] };

const cases: readonly Case[] = [
  { reason: "a pool with machines needs no word", pools: [workerPool()], warnings: [] },
  {
    reason: "a compact cluster has no workers to take it",
    pools: [workerPool({}, 0), masterPool()],
    warnings: [empty],
  },
  { reason: "an empty custom pool changes nothing", pools: [workerPool(), infraPool({}, 0)], warnings: [] },
  { reason: "workers may all be in custom pools", pools: [infraPool(), workerPool({}, 0)], warnings: [] },
  { reason: "no pool of either has machines", pools: [infraPool({}, 0), workerPool({}, 0)], warnings: [empty] },
  { reason: "a pool that is not known is not called empty", pools: [], warnings: [] },
  {
    reason: "a pool without status is not called empty",
    pools: [{ ...workerPool(), status: undefined }],
    warnings: [],
  },
  {
    reason: "a paused pool is named",
    pools: [workerPool({ paused: true })],
    warnings: ["MachineConfigPool 'worker' is paused"],
  },
  {
    reason: "every paused pool that takes it is named, worker first",
    pools: [infraPool({ paused: true }), workerPool({ paused: true })],
    warnings: ["MachineConfigPool 'worker' is paused", "MachineConfigPool 'infra' is paused"],
  },
  {
    reason: "a paused pool that does not take it is not",
    pools: [workerPool(), masterPool({ paused: true })],
    warnings: [],
  },
  { reason: "paused must be true", pools: [workerPool({ paused: false })], warnings: [] },
  {
    reason: "a pool may be empty and paused",
    pools: [workerPool({ paused: true }, 0)],
    warnings: [empty, "MachineConfigPool 'worker' is paused"],
  },
];

test.each(cases)("$reason", ({ pools, warnings }) => {
  expect(poolWarnings(pools, machineConfig)).toEqual(warnings);
});
