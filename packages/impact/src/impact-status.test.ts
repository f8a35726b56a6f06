import type { ImpactEntry, ImpactPool } from "@virt/api";
import { expect, test } from "vitest";
import { nameNodes, type SummaryInput, summarizeImpact } from "./impact-status.ts";

const pool = (given: Partial<ImpactPool>): ImpactPool => ({
  name: "worker",
  class: "Reboot",
  nodes: 3,
  held: 0,
  atOnce: 1,
  waves: 3,
  order: [],
  ...given,
});
const noVms = { migrate: 0, block: 0, stop: 0, restart: 0, external: 0, starting: 0, unknown: 0 };
const nothing: SummaryInput = {
  nodes: 0,
  held: 0,
  vms: noVms,
  pods: { block: 0, delete: 0 },
  capacity: { fits: "Yes", nodes: [], unplacedVMs: 0, unplacedMiB: 0 },
  pools: [],
  blockers: [],
  stops: [],
  notAssessed: [],
};
const blocker = (node: string, kind: ImpactEntry["kind"]) => ({ node, kind, namespace: "a", name: "b", reason: "c" });
const short = (nodes: readonly string[], unplacedVMs: number) =>
  ({ fits: "No", nodes, unplacedVMs, unplacedMiB: 1 }) as const;

test.each<{ impact: Partial<SummaryInput>; text: string }>([
  { impact: {}, text: "No node changes." },
  { impact: { pools: [pool({})] }, text: "Reboots 3 nodes (worker pool, one at a time)." },
  { impact: { pools: [pool({ nodes: 1 })] }, text: "Reboots 1 node (worker pool)." },
  { impact: { pools: [pool({ class: "Drain", atOnce: 2 })] }, text: "Drains 3 nodes (worker pool, 2 at a time)." },
  { impact: { pools: [pool({ class: "Drain", nodes: 1 })] }, text: "Drains 1 node (worker pool)." },
  { impact: { pools: [pool({ class: "Reload" })] }, text: "Reloads services on 3 nodes (worker pool, one at a time)." },
  { impact: { pools: [pool({ class: "Reload", nodes: 1 })] }, text: "Reloads services on 1 node (worker pool)." },
  {
    impact: {
      pools: [
        pool({ nodes: 0, held: 2, holdup: "Paused" }),
        pool({ name: "infra", nodes: 0, held: 1, holdup: "Degraded" }),
      ],
    },
    text: "The worker pool is paused with 2 nodes waiting for an update. 1 node of the infra pool is on hold (Degraded).",
  },
  {
    impact: { vms: { ...noVms, migrate: 1, stop: 1, restart: 1, external: 1, starting: 9, unknown: 9 } },
    text: "No node changes. Live-migrates 1 VM. Stops 1 VM. Restarts 1 VM. 1 VM waits for an external controller. 9 VMs are in an unknown state.",
  },
  {
    impact: { vms: { ...noVms, migrate: 2, stop: 2, restart: 2, external: 2 } },
    text: "No node changes. Live-migrates 2 VMs. Stops 2 VMs. Restarts 2 VMs. 2 VMs wait for an external controller.",
  },
  {
    impact: {
      blockers: [blocker("w-1", "VirtualMachineInstance"), blocker("w-2", "Pod"), blocker("w-2", "Pod")],
      pods: { block: 2, delete: 2 },
    },
    text: "No node changes. 1 VM blocks the drain of w-1. 2 pods block the drain of w-2. Deletes 2 pods that have no controller.",
  },
  {
    impact: { capacity: short(["a"], 1) },
    text: "No node changes. 1 VM does not fit on other nodes while a is drained.",
  },
  {
    impact: { capacity: short(["a", "b"], 3) },
    text: "No node changes. 3 VMs do not fit on other nodes while a and b are drained.",
  },
  {
    impact: { notAssessed: [{ what: "VMs", reason: "Forbidden", message: "" }] },
    text: "No node changes. VM impact: not assessed (Forbidden).",
  },
])("$text", ({ impact, text }) => {
  expect(summarizeImpact({ ...nothing, ...impact })).toBe(text);
});

test("lists up to three nodes, then two and the number of others", () => {
  const names = ["a", "b", "c", "d", "e", "f", "g"];
  expect([1, 2, 3, 4, 7].map((count) => nameNodes(names.slice(0, count)))).toEqual([
    "a",
    "a and b",
    "a, b and c",
    "a, b and 2 more",
    "a, b and 5 more",
  ]);
});
