import type { Impact } from "@virt/api";
import { expect, test } from "vitest";
import { impactData } from "../blocker-blocks.ts";
import { renderBlocks } from "../testing/render-blocks.ts";
import { assessedLines, impactBlocks } from "./impact.ts";

const entry = (kind: "VirtualMachineInstance" | "Pod", name: string, reason: string) =>
  ({ node: "w-0", kind, namespace: "shop", name, reason }) as const;

const impact: Impact = {
  assessedAt: "2026-11-15T09:00:00Z",
  summary: "500 nodes of pool worker reboot 50 at a time",
  nodes: 500,
  held: 2,
  vms: { migrate: 5000, block: 300, stop: 1, restart: 0, external: 0, starting: 0, unknown: 0 },
  pods: { block: 1, delete: 1 },
  duration: { lowSeconds: 19_000, highSeconds: 136_592, text: "5–38 hours", restart: "default", migration: "history" },
  capacity: { fits: "No", nodes: ["w-0", "w-1", "w-2"], unplacedVMs: 7, unplacedMiB: 59_528 },
  pools: [
    {
      name: "worker",
      class: "Reboot",
      nodes: 500,
      held: 0,
      atOnce: 50,
      waves: 10,
      order: ["w-0", "w-1"],
      lowSeconds: 19_000,
      highSeconds: 136_592,
    },
    { name: "infra", class: "Drain", nodes: 0, held: 2, atOnce: 0, waves: 2, holdup: "Paused", order: ["i-0", "i-1"] },
  ],
  blockers: [entry("Pod", "db-0", "PodDisruptionBudget"), entry("VirtualMachineInstance", "till", "Disks")],
  stops: [entry("VirtualMachineInstance", "kiosk", "stop")],
  more: { pools: 3, blockers: 299, stops: 0 },
  assumes: ["10 % of each node serves other pods"],
  notAssessed: [
    { what: "pods", reason: "TooMany", message: "pods of 440 nodes were not listed" },
    { what: "infrastructure", reason: "Forbidden", message: "" },
  ],
};

const printed = (given: Partial<Impact> = {}) =>
  renderBlocks(impactBlocks({ ...impact, ...given }, "k impact x -o json"));

test("prints the whole impact with the options for each blocker", () => {
  expect(printed()).toBe(`\
POOL     CLASS    NODES   AT A TIME   WAVES   DURATION     ON HOLD   REASON   ORDER
worker   Reboot   500     50          10      5–38 hours   0         -        w-0 w-1 and 498 more
infra    Drain    0       0           2       -            2         Paused   i-0 i-1

and 3 more pools

VMs: 5000 to live-migrate, 300 blocking the drain, 1 to stop
Pods: 1 blocking the drain, 1 deleted
Capacity: not enough for 7 VMs (59528 MiB) when the wave with w-0, w-1, w-2 drains
Duration: 5–38 hours (restarts: default, migrations: history)

! Blocks the drain until you act:

Pod shop/db-0 on w-0: PodDisruptionBudget
  Options, least disruptive first:
  1. Add replicas so that the PodDisruptionBudget allows a disruption. The application stays available.
     kubectl get poddisruptionbudgets -n shop
  2. Raise maxUnavailable or lower minAvailable in the PodDisruptionBudget. The application may have fewer replicas while nodes drain.
  3. Delete the pod. Until the pod runs on another node, the application has fewer replicas than its budget requires.
     kubectl delete pod db-0 -n shop

VirtualMachineInstance shop/till on w-0: Disks
  Options, least disruptive first:
  1. Make the VM live-migratable: shared storage (ReadWriteMany), no host devices, a supported network binding. The VM then live-migrates without downtime.
     kubectl get vmi till -n shop -o jsonpath='{.status.conditions}'
  2. Set the VM's eviction strategy to LiveMigrateIfPossible and restart the VM. The drain then shuts down the VM, and its run strategy starts it on another node.
  3. Stop the VM until its node is updated. The VM is down until you start it again.
     virtctl stop till -n shop

and 299 more

! Stops, restarts, is deleted, or waits for an external controller:

NODE   OBJECT                              REASON
w-0    VirtualMachineInstance shop/kiosk   stop

Not assessed:
  pods: TooMany (pods of 440 nodes were not listed)
  infrastructure: Forbidden

Assumptions:
  10 % of each node serves other pods
`);
});

test("prints options for 5 blockers, and for all in JSON", () => {
  const blockers = Array.from({ length: 20 }, (_, at) => entry("VirtualMachineInstance", `till-${at}`, "Disks"));
  const more = { pools: 0, blockers: 280, stops: 0 };
  const text = printed({ blockers, more });
  expect(text.match(/virtctl stop/gu)).toHaveLength(5);
  expect(text).toContain("w-0    VirtualMachineInstance shop/till-19   Disks\n");
  expect(text).toContain("To see the options of these 15 as well, run: k impact x -o json\n\nand 280 more\n");
  const stops = impactData({ ...impact, blockers }).blockers.map(({ options }) => options.at(-1)?.command);
  expect(stops).toEqual(blockers.map(({ name }) => `virtctl stop ${name} -n shop`));
});

test("-o wide shows the time of the assessment next to its age", () => {
  const now = Date.parse("2026-11-15T09:05:00Z");
  const shown = (isWide: boolean) => JSON.stringify(assessedLines(impact.assessedAt, now, isWide));
  expect(shown(false)).toContain('"assessed 5m ago"');
  expect(shown(true)).toContain('"assessed 5m ago (2026-11-15T09:00:00Z)"');
});

test("counts blockers and stops that the status omits", () => {
  const cut = printed({ stops: [], blockers: [], more: { pools: 0, blockers: 30, stops: 5 } });
  expect(cut).toContain("! Blocks the drain until you act:\n\nand 30 more\n");
  expect(cut).toContain("external controller:\n\nand 5 more\n");
  const empty = printed({ stops: [], blockers: [], more: { pools: 0, blockers: 0, stops: 0 } });
  expect(empty).not.toMatch(/Blocks|Stops|more\n$/m);
});

test("names the node if it drains alone", () => {
  const capacity = { fits: "No", nodes: ["w-0"], unplacedVMs: 1, unplacedMiB: 8504 } as const;
  expect(printed({ capacity })).toContain("Capacity: not enough for 1 VM (8504 MiB) when w-0 drains\n");
  expect(printed({ capacity: { ...capacity, fits: "Yes" } })).toContain(
    "Capacity: the VMs of every wave fit on other nodes\n",
  );
});
