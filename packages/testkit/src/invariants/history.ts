// What happened in a run, prepared once for all invariants: who wrote what, and what was stored when.

import { type AuditedRequest, describeObject, isEffectiveWrite, isWriteAttempt } from "./audited-requests.ts";
import type { StoredConfig, StoredLease } from "./stored-config.ts";

/** Whose requests are checked, and by which rules. */
export type HistoryScope = {
  /** The user names under which the controller acts, such as `system:serviceaccount:<namespace>:<name>`. */
  readonly accounts: readonly string[];
  /** Whether the operator runs with `--require-approved-plan`. */
  readonly isApprovalRequired?: boolean;
  /** An edit may cross with a write that is on its way. One that is older than this cannot. */
  readonly crossingMs?: number;
};

export type ConfigVersion = StoredVersion<StoredConfig>;

export type History = {
  readonly scope: Required<HistoryScope>;
  /** Of our accounts, effective, in the order of the log. */
  readonly writes: readonly AuditedRequest[];
  /** Those of them that go to somebody else's objects. */
  readonly targetWrites: readonly AuditedRequest[];
  /** Every change of such an object that our accounts asked for, dry runs and refused ones included. */
  readonly attempts: readonly AuditedRequest[];
  /** By name; each in the order of storing, whoever wrote it. */
  readonly configs: ReadonlyMap<string, readonly ConfigVersion[]>;
  /** Of the advisor's lease. */
  readonly lease: readonly StoredVersion<StoredLease>[];
  /** When a process last learned, before a point in time, what the server has stored of a config; minus infinity if never. */
  readonly lastLearned: (process: string, config: string, beforeMs: number) => number;
};

export const fieldManager = "virt-advisor-operator";
const leaseName = "8f83cc6e.kubevirt.io";

export function buildHistory(requests: readonly AuditedRequest[], scope: HistoryScope): History {
  const isOurs = ({ account }: AuditedRequest) => scope.accounts.includes(account);
  const writes = requests.filter((request) => isOurs(request) && isEffectiveWrite(request));
  return {
    scope: { isApprovalRequired: false, crossingMs: 5_000, ...scope },
    writes,
    targetWrites: writes.filter((write) => !isOwnObject(write)),
    attempts: requests.filter((request) => isOurs(request) && isWriteAttempt(request) && !isOwnObject(request)),
    configs: versionsOf<StoredConfig>(requests.filter(isConfig)),
    lease: versionsOf<StoredLease>(requests.filter(isLease)).get(leaseName) ?? [],
    lastLearned: trackLearning(requests.filter((request) => isOurs(request) && isConfig(request))),
  };
}

function isConfig({ group, resource }: AuditedRequest): boolean {
  return group === "advisor.kubevirt.io" && resource === "virtplatformconfigs";
}

function isLease({ group, resource }: AuditedRequest): boolean {
  return group === "coordination.k8s.io" && resource === "leases";
}

function isEvent({ group, resource }: AuditedRequest): boolean {
  return resource === "events" && (group === "" || group === "events.k8s.io");
}

function isOwnObject(write: AuditedRequest): boolean {
  return isConfig(write) || isLease(write) || isEvent(write);
}

function trackLearning(contacts: readonly AuditedRequest[]): History["lastLearned"] {
  const answered = contacts.filter(
    (contact) => isEffectiveWrite(contact) || (contact.verb === "get" && contact.code === 200),
  );
  const byReader = Map.groupBy(answered, ({ userAgent, name }) => `${userAgent}\n${name}`);
  return (process, config, beforeMs) => {
    const last = byReader.get(`${process}\n${config}`)?.findLast(({ receivedMs }) => receivedMs <= beforeMs);
    if (last === undefined) return Number.NEGATIVE_INFINITY;
    // A read shows what is stored when it comes in; who has written knows what is stored when it is done.
    return last.verb === "get" ? last.receivedMs : last.completedMs;
  };
}

/** `object` is absent when this write removed it. */
export type StoredVersion<T> = { readonly by: AuditedRequest; readonly object: T | undefined };

type Versioned = { readonly metadata: { readonly name: string; readonly resourceVersion: string } };

/** By name. The caller picks the writes of one kind, the subresources of its objects included. */
function versionsOf<T extends Versioned>(
  writes: readonly AuditedRequest[],
): ReadonlyMap<string, readonly StoredVersion<T>[]> {
  const byName = Map.groupBy(writes.filter(isEffectiveWrite).flatMap(versionOf<T>), ({ name }) => name);
  return new Map([...byName].map(([name, versions]) => [name, withoutRepeats(inOrder(versions))]));
}

function versionOf<T extends Versioned>(by: AuditedRequest): readonly (StoredVersion<T> & { readonly name: string })[] {
  if (by.verb === "deletecollection") return removedOf<T>(by);
  if (by.verb === "delete") return [{ by, name: by.name, object: undefined }];
  const object = by.response as T | undefined;
  if (object?.metadata === undefined)
    throw new Error(`the audit log has no body of ${by.verb} ${by.resource}/${by.name}`);
  return [{ by, name: object.metadata.name, object }];
}

function removedOf<T extends Versioned>(by: AuditedRequest): readonly (StoredVersion<T> & { readonly name: string })[] {
  const { items = [] } = (by.response ?? {}) as { items?: readonly T[] };
  return items.map(({ metadata }) => ({ by, name: metadata.name, object: undefined }));
}

/**
 * The log has the order of the answers. Two that were written at the same time may be answered the other way round, so what
 * has a resourceVersion is put in order by it, within the places that such entries have.
 */
function inOrder<T extends Versioned>(versions: readonly StoredVersion<T>[]): readonly StoredVersion<T>[] {
  const stored = versions.filter(({ object }) => object !== undefined).toSorted((a, b) => revision(a) - revision(b));
  const next = stored.values();
  return versions.map((version) => (version.object === undefined ? version : (next.next().value ?? version)));
}

/** A write that changed nothing leaves the version that was there, and the one who stored it first. */
function withoutRepeats<T extends Versioned>(versions: readonly StoredVersion<T>[]): readonly StoredVersion<T>[] {
  return versions.filter((version, at) => {
    const before = versions[at - 1];
    return version.object === undefined || before?.object === undefined || revision(version) !== revision(before);
  });
}

function revision({ object }: StoredVersion<Versioned>): number {
  return Number(object?.metadata.resourceVersion ?? 0);
}

/**
 * `before` is the version right before, whoever wrote it; absent for an object that is new. A deletion is none: its place is
 * that of its answer, which may overtake the answer to a write that came before it.
 */
export type OwnStatusWrite = {
  readonly before: ConfigVersion | undefined;
  readonly after: StoredConfig;
  readonly by: AuditedRequest;
};

export function ownStatusWrites({ configs, scope }: History): readonly OwnStatusWrite[] {
  return [...configs.values()].flatMap((versions) =>
    versions.flatMap(({ by, object }, at) => {
      if (object === undefined || by.subresource !== "status" || !scope.accounts.includes(by.account)) return [];
      const { uid } = object.metadata;
      const before = versions.slice(0, at).findLast((version) => version.object?.metadata.uid === uid);
      return [{ before, after: object, by }];
    }),
  );
}

/** The invariants by their numbers; each has a file of its own. */
export type InvariantName = "I1" | "I2" | "I3" | "I4" | "I5" | "I6" | "I7";

/** An invariant that did not hold, for one request. */
export type Violation = {
  readonly invariant: InvariantName;
  readonly message: string;
  /** RFC 3339: when the request that broke it came in, to be found again in the log. */
  readonly at: string;
};

/** The message starts with the request that broke it. */
export function violation(invariant: InvariantName, request: AuditedRequest, why: string): Violation {
  const at = new Date(request.receivedMs).toISOString();
  return { invariant, message: `${request.verb} ${describeObject(request)}: ${why}`, at };
}
