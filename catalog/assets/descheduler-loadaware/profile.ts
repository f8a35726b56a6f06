// Which profile of the descheduler is the best for VMs, among those that it offers.

import type { JsonMap } from "@virt/api";
import { asList, at } from "@virt/engine";

const candidates = ["KubeVirtRelieveAndMigrate", "DevKubeVirtRelieveAndMigrate", "LongLifecycle"] as const;

/** The best first. */
export type Profile = (typeof candidates)[number];

/** Undefined: it offers none that we know. */
export function bestProfile(deschedulers: JsonMap | undefined): Profile | undefined {
  const offered = asList(at(deschedulers, "properties", "spec", "properties", "profiles", "items", "enum"));
  return candidates.find((profile) => offered.includes(profile));
}

/** Made for VMs: it goes by real load. */
export function isLoadAware(profile: Profile): boolean {
  return profile !== "LongLifecycle";
}
