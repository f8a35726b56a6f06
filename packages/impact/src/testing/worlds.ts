import type { Impact, ImpactPool } from "@virt/api";
import { assessImpact } from "../index.ts";
import { type ClusterGiven, clusterFacts, controlPlane, namesOf, nodeObject, vmsOn } from "./cluster-builder.ts";

export const impactOf = (given: ClusterGiven) =>
  assessImpact(clusterFacts({ ...given, nodes: [...(given.nodes ?? []), ...controlPlane] }));

/** The bounds in seconds, or undefined without a duration. */
export function bounds(of: Impact | ImpactPool | undefined): readonly (number | undefined)[] {
  const { lowSeconds, highSeconds } = (of && "pools" in of ? of.duration : of) ?? {};
  return [lowSeconds, highSeconds];
}

export const noVms = { migrate: 0, block: 0, stop: 0, restart: 0, external: 0, starting: 0, unknown: 0 };

const zoned = Array.from({ length: 12 }, (_, at) => nodeObject(`w-${at}`, { zone: "abc".charAt(at % 3) }));
/** Twelve workers in three zones, with 18 VMs each. */
export const zonedCluster: ClusterGiven = { nodes: zoned, vms: vmsOn(namesOf(zoned), 18) };
