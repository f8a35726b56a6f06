// How many VMs the descheduler may evict at a time: somewhat fewer than the cluster migrates at a time, unless the user says how many.

import type { KubeObject } from "@virt/api";
import { asNumber } from "@virt/engine";
import { hcoValue } from "../hyperconverged.ts";
import { type Capability, isKubeVirt } from "./capability.ts";
import type { Wanted } from "./wanted.ts";

/** A limit of the descheduler, the option that sets it, and what it is derived from otherwise. */
export type Limit = (typeof limits)[number];

const limits = [
  { field: "total", option: "evictionLimitTotal", source: "parallelMigrationsPerCluster", otherwise: 5 },
  { field: "node", option: "evictionLimitNode", source: "parallelOutboundMigrationsPerNode", otherwise: 2 },
] as const;

/** Those that the plan sets. */
export function limitsOf({ selected, limits: offered }: Capability): readonly Limit[] {
  const isTaken = selected !== undefined && isKubeVirt(selected);
  return limits.filter(({ field }) => isTaken && offered.has(field));
}

export function limitValue(limit: Limit, wanted: Wanted, hco: KubeObject | undefined): number {
  return wanted[limit.option] ?? derivedLimit(limit, hco);
}

/** What the HyperConverged allows, scaled. */
export function derivedLimit({ source, otherwise }: Limit, hco: KubeObject | undefined): number {
  const migrations = asNumber(hcoValue(hco, "liveMigrationConfig", source)) ?? 0;
  return scale(migrations > 0 ? migrations : otherwise);
}

// Migrations that people start need room beside those of the descheduler.
function scale(migrations: number): number {
  return migrations < 10 ? migrations : 10 + Math.floor(((migrations - 10) * 4) / 5);
}
