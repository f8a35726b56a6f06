// Reads from the audit log who held a lease when, and finds what was written by somebody who did not.

import type { AuditEvent } from "@virt/testkit";

export type LeaseObject = {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly spec: {
    readonly holderIdentity: string;
    readonly leaseDurationSeconds: number;
    readonly leaseTransitions: number;
  };
};

/** The lease of a controller, and what is written under it. */
export type LeaseOf = { readonly controller: "advisor" | "platform"; readonly name: string };

/** One write that the server took, in the order in which it took them. */
export type LeaseWrite = { readonly by: string; readonly atMs: number; readonly lease: LeaseObject };

/** A dry run changes nothing, and no gate keeps it back. */
const isWrite = ({ verb, requestURI }: AuditEvent) =>
  ["create", "update", "patch", "delete", "deletecollection"].includes(verb) && !requestURI.includes("dryRun=All");
const isLease = ({ requestURI }: AuditEvent) => requestURI.includes("/leases");
const isLeaseRead = ({ verb, objectRef, responseStatus }: AuditEvent, { name }: LeaseOf) =>
  verb === "get" && objectRef?.resource === "leases" && objectRef.name === name && responseStatus?.code === 200;
const atMs = ({ requestReceivedTimestamp }: AuditEvent) => Date.parse(requestReceivedTimestamp);
const answeredMs = ({ stageTimestamp = "" }: AuditEvent) => Date.parse(stageTimestamp);

/** The process, as the operator names it in its User-Agent. */
function author({ userAgent = "" }: AuditEvent): string | undefined {
  return /^virt-operator\/[^(]*\([^;]*; ([^)]+)\)$/.exec(userAgent)?.[1];
}

export function leaseWrites(audit: readonly AuditEvent[], { name }: LeaseOf): readonly LeaseWrite[] {
  return audit.flatMap((event) => {
    const by = author(event);
    const lease = event.responseObject as LeaseObject | undefined;
    const isTaken = (event.responseStatus?.code ?? 500) < 300;
    const isIt = event.objectRef?.name === name || (lease?.metadata.name === name && isLease(event));
    const isOurs = by !== undefined && lease !== undefined && isTaken && isWrite(event) && isLease(event) && isIt;
    return isOurs ? [{ by, lease, atMs: atMs(event) }] : [];
  });
}

/** One line for each write that should not be there. `thefts` are those of strangers, which the audit log has without their bodies. */
export function findFaults(
  audit: readonly AuditEvent[],
  lease: LeaseOf,
  thefts: readonly LeaseWrite[],
): readonly string[] {
  const stolen = thefts.filter((theft) => theft.lease.metadata.name === lease.name);
  const history = [...leaseWrites(audit, lease), ...stolen].toSorted(
    (left, right) => versionOf(left) - versionOf(right),
  );
  const claims = history.flatMap((write, place) => claimFault(write, history[place - 1]) ?? []);
  const writes = writesUnder(audit, lease);
  const refusals = writes.filter((event) => isLease(event) && event.responseStatus?.code === 409);
  const reads = audit.filter((event) => isLeaseRead(event, lease));
  return [...claims, ...writes.flatMap((event) => writeFault(event, { history, refusals, reads }) ?? [])];
}

/** The writes of any process in the name of one controller, its lease among them. */
export function writesUnder(audit: readonly AuditEvent[], { controller, name }: LeaseOf): readonly AuditEvent[] {
  const manager = `virt-${controller}-operator`;
  const isUnder = ({ requestURI, objectRef, requestObject }: AuditEvent) => {
    if (objectRef?.resource === "leases") return requestURI.endsWith(`/${name}`) || nameIn(requestObject) === name;
    // An event is named after who reports it.
    if (objectRef?.resource === "events")
      return (objectRef.name ?? nameIn(requestObject))?.startsWith(manager) === true;
    if (objectRef?.resource === "virtplatformconfigs") return controller === "advisor";
    return requestURI.includes(`fieldManager=${manager}`);
  };
  return audit.filter((event) => author(event) !== undefined && isWrite(event) && isUnder(event));
}

function nameIn(object: unknown): string | undefined {
  return (object as { readonly metadata?: { readonly name?: string } } | undefined)?.metadata?.name;
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

/** How long a leader goes on after the last renewal that it knows of. */
const renewDeadlineMs = 10_000;
/** A write that left before the answer about the lease was read may be received after the answer was sent. */
const onTheWayMs = 1_000;

type LeaseRecord = {
  readonly history: readonly LeaseWrite[];
  readonly refusals: readonly AuditEvent[];
  readonly reads: readonly AuditEvent[];
};

/**
 * A process cancels its requests when it closes its fence, so a request that its sender cancelled left before. On a busy machine the API
 * server starts on it later. Says who cancelled: the API server answers 504 for its own time limits, too.
 */
function isCancelled({ responseStatus }: AuditEvent): boolean {
  return (responseStatus?.code ?? 0) >= 500 && (responseStatus?.message ?? "").includes("context canceled");
}

// An old leader learns of its loss from the read that follows a refused renewal: its own earlier write may be what refused it. A lease
// write without an answer has written nothing that counts.
function writeFault(event: AuditEvent, { history, refusals, reads }: LeaseRecord): string | undefined {
  const by = author(event);
  const code = event.responseStatus?.code ?? 500;
  if (by === undefined || (isLease(event) && (code < 300 || code === 409 || code >= 500))) return undefined;
  if (isCancelled(event)) return undefined;
  const before = history.filter((write) => write.atMs <= atMs(event));
  const holder = before.at(-1)?.lease.spec.holderIdentity;
  if (holder === by) return undefined;
  // Who was robbed keeps to the rules until its deadline, or until it hears of it: nobody else may take a lease so soon.
  const renewedAt = before.findLast((write) => write.by === by && write.lease.spec.holderIdentity === by)?.atMs ?? 0;
  const refusal = refusals.find((refused) => author(refused) === by && atMs(refused) > renewedAt);
  const read = refusal && reads.find((one) => author(one) === by && atMs(one) >= answeredMs(refusal));
  const heardAt = read === undefined ? Infinity : answeredMs(read) + onTheWayMs;
  if (atMs(event) < Math.min(renewedAt + renewDeadlineMs + onTheWayMs, heardAt)) return undefined;
  return `${by} sent ${event.verb} ${event.requestURI} while ${holder} led: ${code}`;
}
