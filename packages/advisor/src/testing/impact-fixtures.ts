import type { Impact, RolloutFinding, RolloutStatus } from "@virt/api";

export const noVms = { migrate: 0, block: 0, stop: 0, restart: 0, external: 0, starting: 0, unknown: 0 };

export const rolloutFixture = (
  findings: readonly RolloutFinding[] = [],
  given: Partial<RolloutStatus> = {},
): RolloutStatus => ({
  summary: "",
  pools: [],
  nodes: [],
  findings,
  more: { pools: 0, nodes: 0, findings: 0 },
  ...given,
});

export function impactFixture(given: Partial<Impact> = {}): Impact {
  return {
    assessedAt: "2026-11-15T09:00:00Z",
    summary: "Reboots 12 nodes (worker pool, one at a time).",
    nodes: 12,
    held: 0,
    vms: { migrate: 214, block: 0, stop: 2, restart: 0, external: 0, starting: 0, unknown: 0 },
    pods: { block: 0, delete: 0 },
    duration: { lowSeconds: 14_760, highSeconds: 28_390, text: "4–8 hours", restart: "observed", migration: "history" },
    capacity: { fits: "Yes", nodes: [], unplacedVMs: 0, unplacedMiB: 0 },
    pools: [
      {
        name: "worker",
        class: "Reboot",
        nodes: 12,
        held: 0,
        atOnce: 1,
        waves: 12,
        order: ["w-0"],
        lowSeconds: 14_760,
        highSeconds: 28_390,
      },
    ],
    blockers: [],
    stops: [],
    more: { pools: 0, blockers: 0, stops: 0 },
    assumes: [],
    notAssessed: [],
    ...given,
  };
}
