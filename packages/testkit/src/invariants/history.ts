// Prepares a run for the invariants: writes and stored versions over time.

import { type AuditedRequest, describeObject, isEffectiveWrite, isWriteAttempt } from "./audited-requests.ts";
import type { StoredConfig, StoredLease } from "./stored-config.ts";

/** The operator's accounts and settings, which determine what it may write. */
export type HistoryScope = {
  /** User names, such as `system:serviceaccount:<namespace>:<name>`. */
  readonly accounts: readonly string[];
  /** True if the operator runs with `--require-approved-plan`. */
  readonly isApprovalRequired?: boolean;
  /** How long an edit and a write in flight may overlap. Defaults to 5 s. */
  readonly crossingMs?: number;
};

export type ConfigVersion = StoredVersion<StoredConfig>;

export type History = {
  readonly scope: Required<HistoryScope>;
  readonly writes: readonly AuditedRequest[];
  /** Writes to objects that the operator does not own. */
  readonly targetWrites: readonly AuditedRequest[];
  /** All requests to change such objects, including dry runs and rejected ones. */
  readonly attempts: readonly AuditedRequest[];
  /** By name, in the order of storing. */
  readonly configs: ReadonlyMap<string, readonly ConfigVersion[]>;
  readonly lease: readonly StoredVersion<StoredLease>[];
  /** Returns the time at which a process last saw or stored a version of a config. Minus infinity if never. */
  readonly lastLearned: (process: string, config: string, beforeMs: number) => number;
};

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
    // A read shows the state at its arrival, a write the state at its completion.
    return last.verb === "get" ? last.receivedMs : last.completedMs;
  };
}

/** `object` is absent if the write deleted it. */
export type StoredVersion<T> = { readonly by: AuditedRequest; readonly object: T | undefined };

type Versioned = { readonly metadata: { readonly name: string; readonly resourceVersion: string } };

/** Returns the stored versions of each object. Pass the writes of a single kind, including subresources. */
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
 * Sorts versions by resourceVersion within the positions of versions that have one. The log has the order of responses,
 * which may differ from the order of writes.
 */
function inOrder<T extends Versioned>(versions: readonly StoredVersion<T>[]): readonly StoredVersion<T>[] {
  const stored = versions.filter(({ object }) => object !== undefined).toSorted((a, b) => revision(a) - revision(b));
  const next = stored.values();
  return versions.map((version) => (version.object === undefined ? version : (next.next().value ?? version)));
}

/** Drops no-op writes, so that a version keeps its first writer. */
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
 * `before` is the previous version by any writer, absent for a new object. Ignores deletions, because their response
 * may overtake that of an earlier write.
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

/** An invariant from the specification. Each one is checked in this folder. */
export type InvariantName = "I1" | "I2" | "I3" | "I4" | "I5" | "I6" | "I7";

/** A request that violates an invariant. */
export type Violation = {
  readonly invariant: InvariantName;
  readonly message: string;
  /** The arrival of the request, in RFC 3339. */
  readonly at: string;
};

export function violation(invariant: InvariantName, request: AuditedRequest, why: string): Violation {
  const at = new Date(request.receivedMs).toISOString();
  return { invariant, message: `${request.verb} ${describeObject(request)}: ${why}`, at };
}
