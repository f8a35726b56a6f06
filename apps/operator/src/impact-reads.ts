// Loads the single reads of an impact assessment, for the advisor and the platform controller.

import { type ImpactFacts, neededReads } from "@virt/impact";
import type { Discovery, ReconcileContext } from "@virt/kube";
import { type ImpactReads, inLanes } from "@virt/reads";
import type { ReadCache } from "./read-cache.ts";

/** A rendered config may be 1 MB. Unread configs are assumed to reboot nodes. */
const mostConfigs = 8;

export type ImpactReading = {
  readonly reads: ImpactReads;
  readonly readCache: ReadCache;
  readonly discovery: Pick<Discovery, "find">;
  /** Monotonic milliseconds. */
  readonly now: number;
  /** Reports whether to continue if one load cannot read all owners. Default: no. */
  readonly isPatient?: () => boolean;
};

/**
 * Loads the objects that the facts need in addition to their lists. Returns false if some are left or failed
 * temporarily.
 */
export async function loadImpactReads(
  facts: ImpactFacts,
  { reads, readCache, discovery, now, isPatient = () => false }: ImpactReading,
  { cluster, sender, signal }: ReconcileContext,
): Promise<boolean> {
  const needed = neededReads(facts);
  await inLanes(needed.configs.slice(0, mostConfigs), async (name) => {
    await readCache.renderedIfDue(name, cluster);
  });
  const { isWhole } = await reads.loadAll(needed, { sender, discovery, reader: cluster, signal, now }, isPatient);
  return isWhole;
}
