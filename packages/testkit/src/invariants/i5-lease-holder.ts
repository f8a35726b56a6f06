// Invariant I5: only the holder of an unexpired advisor lease writes.

import type { AuditedRequest } from "./audited-requests.ts";
import { type History, type StoredVersion, type Violation, violation } from "./history.ts";
import type { StoredLease } from "./stored-config.ts";

/** Skips runs without leader election. */
export function writesWithoutLease({ writes, lease }: History): readonly Violation[] {
  return writes
    .filter(({ resource }) => resource !== "leases")
    .flatMap((write) => {
      const why = leaseDifference(lease, write);
      return why === undefined ? [] : [violation("I5", write, why)];
    });
}

function leaseDifference(lease: readonly StoredVersion<StoredLease>[], write: AuditedRequest): string | undefined {
  const identity = identityOf(write.userAgent);
  // After a deletion, the lease has no holder until it is re-created.
  const stored = lease.findLast(({ by, object }) => object !== undefined && by.completedMs <= write.receivedMs);
  if (stored === undefined) return undefined;
  const isOnItsWay = lease.some(({ by, object }) => isDuring(by, write) && holderOf(object) === identity);
  if (isOnItsWay) return undefined;
  const holder = holderOf(stored.object);
  if (holder !== identity) return `the lease is held by "${holder}", not by ${identity}`;
  const endMs = stored.by.completedMs + (stored.object?.spec?.leaseDurationSeconds ?? 0) * 1000;
  return write.receivedMs > endMs ? `the lease of ${identity} had expired` : undefined;
}

function holderOf(lease: StoredLease | undefined): string {
  return lease?.spec?.holderIdentity ?? "";
}

/** The order of overlapping requests is unknown. */
function isDuring({ receivedMs, completedMs }: AuditedRequest, write: AuditedRequest): boolean {
  return receivedMs <= write.receivedMs && write.receivedMs < completedMs;
}

/** Parses `virt-operator/<version> (<controllers>; <identity>)`. Tests may use the identity alone. */
function identityOf(userAgent: string): string {
  return /; ([^;()]+)\)$/.exec(userAgent)?.[1] ?? userAgent;
}
