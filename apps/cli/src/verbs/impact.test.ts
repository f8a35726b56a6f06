import type { Impact } from "@virt/api";
import { expect, test } from "vitest";
import { Printer } from "../printer.ts";
import { impactBlocks } from "./impact.ts";

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

function printed(given: Partial<Impact> = {}): string {
  const silent = () => {};
  const options = { format: "table", isColored: false, columns: undefined } as const;
  const printer = new Printer({ ...options, writeData: silent, writeProgress: silent });
  return printer.render({ type: "Impact", data: {}, blocks: impactBlocks({ ...impact, ...given }) });
}

test("all of an impact is printed: pools with waves and times, figures, what blocks and stops, gaps and assumptions", () => {
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

NODE   OBJECT                             REASON
w-0    Pod shop/db-0                      PodDisruptionBudget
w-0    VirtualMachineInstance shop/till   Disks

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

test("a list that had no room in the status is counted", () => {
  const cut = printed({ stops: [], blockers: [], more: { pools: 0, blockers: 30, stops: 5 } });
  expect(cut).toContain("! Blocks the drain until you act:\n\nand 30 more\n");
  expect(cut).toContain("external controller:\n\nand 5 more\n");
  const empty = printed({ stops: [], blockers: [], more: { pools: 0, blockers: 0, stops: 0 } });
  expect(empty).not.toMatch(/Blocks|Stops|more\n$/m);
});

test("a node that drains alone is named as such", () => {
  const capacity = { fits: "No", nodes: ["w-0"], unplacedVMs: 1, unplacedMiB: 8504 } as const;
  expect(printed({ capacity })).toContain("Capacity: not enough for 1 VM (8504 MiB) when w-0 drains\n");
  expect(printed({ capacity: { ...capacity, fits: "Yes" } })).toContain(
    "Capacity: the VMs of every wave fit on other nodes\n",
  );
});
