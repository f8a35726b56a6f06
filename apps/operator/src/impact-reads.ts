// Reads the individual objects that an impact assessment needs, for both controllers.

import { type ImpactFacts, neededReads } from "@virt/impact";
import type { Discovery, ReconcileContext } from "@virt/kube";
import { type ImpactReads, inLanes } from "@virt/reads";
import type { ReadCache } from "./read-cache.ts";

/** The maximum number of rendered configs to read, because each can be 1 MB. Unread ones are assumed to reboot nodes. */
const mostConfigs = 8;

export type ImpactReading = {
  readonly reads: ImpactReads;
  readonly readCache: ReadCache;
  readonly discovery: Pick<Discovery, "find">;
  /** Monotonic milliseconds. */
  readonly now: number;
  /** Reports whether to keep reading if one call cannot read all owners. Default: no. */
  readonly isPatient?: () => boolean;
};

/** Reads the objects that the lists do not contain. Returns false if some are left to read, or failed temporarily. */
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
