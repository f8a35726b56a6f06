// Reads from the audit log who held a lease when, and finds what was written by somebody who did not.

import type { AuditEvent } from "@virt/testkit";

export type LeaseObject = {
  readonly metadata: { readonly resourceVersion: string };
  readonly spec: {
    readonly holderIdentity: string;
    readonly leaseDurationSeconds: number;
    readonly leaseTransitions: number;
  };
};

/** One write that the server took, in the order in which it took them. */
export type LeaseWrite = { readonly by: string; readonly atMs: number; readonly lease: LeaseObject };

const isWrite = ({ verb }: AuditEvent) => ["create", "update", "patch", "delete", "deletecollection"].includes(verb);
const isLease = ({ requestURI }: AuditEvent) => requestURI.includes("/leases");
const atMs = ({ requestReceivedTimestamp }: AuditEvent) => Date.parse(requestReceivedTimestamp);

/** The process, as the operator names it in its User-Agent. */
function author({ userAgent = "" }: AuditEvent): string | undefined {
  return /^virt-operator\/[^(]*\([^;]*; ([^)]+)\)$/.exec(userAgent)?.[1];
}

export function leaseWrites(audit: readonly AuditEvent[]): readonly LeaseWrite[] {
  return audit.flatMap((event) => {
    const by = author(event);
    const lease = event.responseObject as LeaseObject | undefined;
    const isTaken = (event.responseStatus?.code ?? 500) < 300;
    const isOurs = by !== undefined && lease !== undefined && isTaken && isWrite(event) && isLease(event);
    return isOurs ? [{ by, lease, atMs: atMs(event) }] : [];
  });
}

/** One line for each write that should not be there. `thefts` are those of strangers, which the audit log has without their bodies. */
export function findFaults(audit: readonly AuditEvent[], thefts: readonly LeaseWrite[]): readonly string[] {
  const history = [...leaseWrites(audit), ...thefts].toSorted((left, right) => versionOf(left) - versionOf(right));
  const claims = history.flatMap((write, place) => claimFault(write, history[place - 1]) ?? []);
  return [...claims, ...audit.flatMap((event) => writeFault(event, history) ?? [])];
}

function versionOf({ lease }: LeaseWrite): number {
  return Number(lease.metadata.resourceVersion);
}

// Whoever writes a lease that was not theirs takes it: free, or after a silence as long as its holder was granted.
function claimFault({ by, atMs, lease }: LeaseWrite, before: LeaseWrite | undefined): string | undefined {
  const { holderIdentity: holder, leaseTransitions: transitions } = lease.spec;
  if (holder !== by && holder !== "") return `${by} wrote the lease of ${holder}`;
  if (before === undefined || before.lease.spec.holderIdentity === by || by === "a stranger") return undefined;
  const { holderIdentity, leaseDurationSeconds, leaseTransitions } = before.lease.spec;
  if (holder !== by || transitions !== leaseTransitions + 1) return `${by} wrote a lease that it did not hold`;
  const isDead = holderIdentity === "" || atMs - before.atMs >= leaseDurationSeconds * 1000;
  return isDead ? undefined : `${by} took a lease that ${holderIdentity} had renewed ${atMs - before.atMs} ms ago`;
}

// A renewal that the server refuses is how an old leader learns that it is one.
function writeFault(event: AuditEvent, history: readonly LeaseWrite[]): string | undefined {
  const by = author(event);
  const code = event.responseStatus?.code ?? 500;
  if (by === undefined || !isWrite(event) || (isLease(event) && (code < 300 || code === 409))) return undefined;
  const holder = history.findLast((write) => write.atMs <= atMs(event))?.lease.spec.holderIdentity;
  return holder === by ? undefined : `${by} sent ${event.verb} ${event.requestURI} while ${holder} led: ${code}`;
}
