// Reconstructs lease holders from the audit log and finds writes by processes that did not hold the lease.

import type { AuditEvent } from "@virt/testkit";

export type LeaseObject = {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly spec: {
    readonly holderIdentity: string;
    readonly leaseDurationSeconds: number;
    readonly leaseTransitions: number;
  };
};

export type LeaseOf = { readonly controller: "advisor" | "platform"; readonly name: string };

export type LeaseWrite = { readonly by: string; readonly atMs: number; readonly lease: LeaseObject };

/** Excludes dry runs, which change nothing and which the fence allows. */
const isWrite = ({ verb, requestURI }: AuditEvent) =>
  ["create", "update", "patch", "delete", "deletecollection"].includes(verb) && !requestURI.includes("dryRun=All");
const isLease = ({ requestURI }: AuditEvent) => requestURI.includes("/leases");
const isLeaseRead = ({ verb, objectRef, responseStatus }: AuditEvent, { name }: LeaseOf) =>
  verb === "get" && objectRef?.resource === "leases" && objectRef.name === name && responseStatus?.code === 200;
const atMs = ({ requestReceivedTimestamp }: AuditEvent) => Date.parse(requestReceivedTimestamp);
const answeredMs = ({ stageTimestamp = "" }: AuditEvent) => Date.parse(stageTimestamp);

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

/** Returns one line per fault. `thefts` are strangers' writes, whose bodies are not in the audit log. */
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

export function writesUnder(audit: readonly AuditEvent[], { controller, name }: LeaseOf): readonly AuditEvent[] {
  const manager = `virt-${controller}-operator`;
  const isUnder = ({ requestURI, objectRef, requestObject }: AuditEvent) => {
    if (objectRef?.resource === "leases") return requestURI.endsWith(`/${name}`) || nameIn(requestObject) === name;
    // An event's name begins with its reporting controller.
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

// Only a free lease, or one without renewals for its whole duration, may be taken.
function claimFault({ by, atMs, lease }: LeaseWrite, before: LeaseWrite | undefined): string | undefined {
  const { holderIdentity: holder, leaseTransitions: transitions } = lease.spec;
  if (holder !== by && holder !== "") return `${by} wrote the lease of ${holder}`;
  if (before === undefined || before.lease.spec.holderIdentity === by || by === "a stranger") return undefined;
  const { holderIdentity, leaseDurationSeconds, leaseTransitions } = before.lease.spec;
  if (holder !== by || transitions !== leaseTransitions + 1) return `${by} wrote a lease that it did not hold`;
  const isDead = holderIdentity === "" || atMs - before.atMs >= leaseDurationSeconds * 1000;
  return isDead ? undefined : `${by} took a lease that ${holderIdentity} had renewed ${atMs - before.atMs} ms ago`;
}

/** The time for which a leader continues after its last known renewal. */
const renewDeadlineMs = 10_000;
/** A write that was sent before the lease was read can arrive later. */
const onTheWayMs = 1_000;

type LeaseRecord = {
  readonly history: readonly LeaseWrite[];
  readonly refusals: readonly AuditEvent[];
  readonly reads: readonly AuditEvent[];
};

/**
 * A process cancels its requests when its fence closes, so that a cancelled request was sent before. On a busy machine
 * the API server starts it later. The message distinguishes this from the API server's own timeouts, which also return
 * 504.
 */
function isCancelled({ responseStatus }: AuditEvent): boolean {
  return (responseStatus?.code ?? 0) >= 500 && (responseStatus?.message ?? "").includes("context canceled");
}

// An old leader learns of its loss from the read after a refused renewal, because its own earlier write can also cause
// the refusal. An unanswered lease write does not count.
function writeFault(event: AuditEvent, { history, refusals, reads }: LeaseRecord): string | undefined {
  const by = author(event);
  const code = event.responseStatus?.code ?? 500;
  if (by === undefined || (isLease(event) && (code < 300 || code === 409 || code >= 500))) return undefined;
  if (isCancelled(event)) return undefined;
  const before = history.filter((write) => write.atMs <= atMs(event));
  const holder = before.at(-1)?.lease.spec.holderIdentity;
  if (holder === by) return undefined;
  // A leader whose lease was stolen may continue until its deadline, or until it reads the lease. Other processes
  // cannot take it before.
  const renewedAt = before.findLast((write) => write.by === by && write.lease.spec.holderIdentity === by)?.atMs ?? 0;
  const refusal = refusals.find((refused) => author(refused) === by && atMs(refused) > renewedAt);
  const read = refusal && reads.find((one) => author(one) === by && atMs(one) >= answeredMs(refusal));
  const heardAt = read === undefined ? Infinity : answeredMs(read) + onTheWayMs;
  if (atMs(event) < Math.min(renewedAt + renewDeadlineMs + onTheWayMs, heardAt)) return undefined;
  return `${by} sent ${event.verb} ${event.requestURI} while ${holder} led: ${code}`;
}
