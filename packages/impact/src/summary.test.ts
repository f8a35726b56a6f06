import type { ImpactEntry, ImpactPool } from "@virt/api";
import { expect, test } from "vitest";
import { nameNodes, type SummaryInput, summarizeImpact } from "./summary.ts";

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
  { impact: {}, text: "no node changes" },
  { impact: { pools: [pool({})] }, text: "3 nodes of pool worker reboot one after another" },
  { impact: { pools: [pool({ nodes: 1 })] }, text: "1 node of pool worker reboots" },
  { impact: { pools: [pool({ class: "Drain", atOnce: 2 })] }, text: "3 nodes of pool worker are drained 2 at a time" },
  { impact: { pools: [pool({ class: "Drain", nodes: 1 })] }, text: "1 node of pool worker is drained" },
  { impact: { pools: [pool({ class: "Reload" })] }, text: "3 nodes of pool worker reload services one after another" },
  { impact: { pools: [pool({ class: "Reload", nodes: 1 })] }, text: "1 node of pool worker reloads services" },
  {
    impact: {
      pools: [
        pool({ nodes: 0, held: 2, holdup: "Paused" }),
        pool({ name: "infra", nodes: 0, held: 1, holdup: "Degraded" }),
      ],
    },
    text: "pool worker is paused with 2 nodes, 1 node of pool infra does not start (Degraded)",
  },
  {
    impact: { vms: { ...noVms, migrate: 1, stop: 1, restart: 1, external: 1, starting: 9, unknown: 9 } },
    text: "no node changes, 1 VM live-migrates, 1 VM stops, 1 VM restarts, 1 VM waits for an external controller, 9 VMs are in an unknown state",
  },
  {
    impact: { vms: { ...noVms, migrate: 2, stop: 2, restart: 2, external: 2 } },
    text: "no node changes, 2 VMs live-migrate, 2 VMs stop, 2 VMs restart, 2 VMs wait for an external controller",
  },
  {
    impact: {
      blockers: [blocker("w-1", "VirtualMachineInstance"), blocker("w-2", "Pod"), blocker("w-2", "Pod")],
      pods: { block: 2, delete: 2 },
    },
    text: "no node changes, 1 VM on w-1 blocks the drain, 2 pods on w-2 block the drain, 2 pods without controller are deleted",
  },
  { impact: { capacity: short(["a"], 1) }, text: "no node changes, no room for 1 VM when a drains" },
  { impact: { capacity: short(["a", "b"], 3) }, text: "no node changes, no room for 3 VMs when a and b drain" },
  {
    impact: { notAssessed: [{ what: "VMs", reason: "Forbidden", message: "" }] },
    text: "no node changes, VM impact: not assessed (Forbidden)",
  },
])("$text", ({ impact, text }) => {
  expect(summarizeImpact({ ...nothing, ...impact })).toBe(text);
});

test("nodes are named up to three, then two and how many more", () => {
  const names = ["a", "b", "c", "d", "e", "f", "g"];
  expect([1, 2, 3, 4, 7].map((count) => nameNodes(names.slice(0, count)))).toEqual([
    "a",
    "a and b",
    "a, b and c",
    "a, b and 2 more",
    "a, b and 5 more",
  ]);
});
