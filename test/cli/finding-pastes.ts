// Every command of rollout findings, options and obstacles, as packages/impact prints them.

import { blockerRemedies, findingRemedies, findRolloutObstacles, restoreCommand, startCommand } from "@virt/impact";
import { faultTexts } from "../../apps/simulator/src/testing/fault-texts.ts"; // oxlint-disable-line no-restricted-imports -- findings.test.ts beside it proves that these are printed
import { loadAware } from "../support/advisor.ts";

export const findingCommands: readonly { readonly id: string; readonly command: string | undefined }[] = [
  ...faultTexts,
].map(([title, { command }]) => ({ id: title.split(" ")[0] ?? "", command }));

const blockers = [
  { kind: "VirtualMachineInstance", namespace: "vms", name: "vm-1", reason: "NotMigratable" },
  { kind: "VirtualMachineInstance", namespace: "vms", name: "vm-1", reason: "NoTargetNode" },
  { kind: "Pod", namespace: "apps", name: "protected", reason: "PodDisruptionBudget" },
  { kind: "Pod", namespace: "apps", name: "twice", reason: "TwoBudgets" },
] as const;

const remedies = [
  ...blockers.flatMap((entry) => blockerRemedies(entry)),
  ...findingRemedies({ id: "PoolPaused", object: { kind: "MachineConfigPool", name: "worker" } }),
];

export const optionCommands: readonly string[] = unique([
  ...remedies.flatMap(({ command }) => command ?? []),
  startCommand({ namespace: "vms", name: "vm-1" }) ?? "",
]);

const holdups = [
  "Paused",
  "InvalidMaxUnavailable",
  "MaxUnavailableUsed",
  "Degraded",
  "KubeletConfigRefused",
  "NotReady",
  "Cordoned",
] as const;
const pool = { name: "worker", heldBy: "static-pods", held: 1 };
const obstacles = [
  ...holdups.map((holdup) => ({ pools: [{ ...pool, holdup }], held: 1 })),
  { pools: [pool], held: 1 },
  { pools: [], held: 1 },
].flatMap((impact) => findRolloutObstacles(impact as unknown as Parameters<typeof findRolloutObstacles>[0]));

export const obstacleCommands: readonly string[] = unique(
  obstacles.flatMap(({ next }) => [...next.matchAll(/'((?:oc|kubectl) [^']*)'/gu)].map(([, it = ""]) => it)),
);

export const deletedTargetCommands: readonly string[] = [
  `kubectl virt-advisor plan ${loadAware}`,
  restoreCommand({ config: loadAware, item: "enable-psi-metrics" }) ?? "",
];

/** Commands that only docs/stuck-rollouts.md shows. */
const remedyCommands = ["oc get pods", "oc get pods -A --field-selector spec.nodeName=worker-1"];

export const findingPastes: readonly string[] = unique([
  ...findingCommands.flatMap(({ command }) => command ?? []),
  ...remedyCommands,
]);

function unique(commands: readonly string[]): readonly string[] {
  return [...new Set(commands)];
}
