// What happened in a run, prepared once for all invariants: who wrote what, and what was stored when.

import { type Audited, isEffective } from "./audited.ts";
import type { StoredConfig, StoredLease } from "./stored-config.ts";
import { type Version, versionsOf } from "./versions.ts";

export type Scope = {
  /** The user names under which the controller acts, such as `system:serviceaccount:<namespace>:<name>`. */
  readonly accounts: readonly string[];
  /** Whether the operator runs with `--require-approved-plan`. */
  readonly isApprovalRequired?: boolean;
  /** An edit may cross with a write that is on its way. One that is older than this cannot. */
  readonly crossingMs?: number;
};

export type ConfigVersion = Version<StoredConfig>;

export type History = {
  readonly scope: Required<Scope>;
  /** Of our accounts, effective, in the order of the log. */
  readonly writes: readonly Audited[];
  /** Those of them that go to somebody else's objects. */
  readonly targetWrites: readonly Audited[];
  /** By name; each in the order of storing, whoever wrote it. */
  readonly configs: ReadonlyMap<string, readonly ConfigVersion[]>;
  /** Of the advisor's lease. */
  readonly lease: readonly Version<StoredLease>[];
  /** When a process last learned, before a point in time, what the server has stored of a config; minus infinity if never. */
  readonly lastLearned: (process: string, config: string, beforeMs: number) => number;
};

export const fieldManager = "virt-advisor-operator";
const leaseName = "8f83cc6e.kubevirt.io";

export function historyOf(requests: readonly Audited[], scope: Scope): History {
  const isOurs = ({ account }: Audited) => scope.accounts.includes(account);
  const writes = requests.filter((request) => isOurs(request) && isEffective(request));
  return {
    scope: { isApprovalRequired: false, crossingMs: 5_000, ...scope },
    writes,
    targetWrites: writes.filter((write) => !isOwnAffair(write)),
    configs: versionsOf<StoredConfig>(requests.filter(isConfig)),
    lease: versionsOf<StoredLease>(requests.filter(isLease)).get(leaseName) ?? [],
    lastLearned: learning(requests.filter((request) => isOurs(request) && isConfig(request))),
  };
}

function isConfig({ group, resource }: Audited): boolean {
  return group === "advisor.kubevirt.io" && resource === "virtplatformconfigs";
}

function isLease({ group, resource }: Audited): boolean {
  return group === "coordination.k8s.io" && resource === "leases";
}

function isEvent({ group, resource }: Audited): boolean {
  return resource === "events" && (group === "" || group === "events.k8s.io");
}

function isOwnAffair(write: Audited): boolean {
  return isConfig(write) || isLease(write) || isEvent(write);
}

function learning(contacts: readonly Audited[]): History["lastLearned"] {
  const told = contacts.filter((contact) => isEffective(contact) || (contact.verb === "get" && contact.code === 200));
  const byReader = Map.groupBy(told, ({ userAgent, name }) => `${userAgent}\n${name}`);
  return (process, config, beforeMs) => {
    const last = byReader.get(`${process}\n${config}`)?.findLast(({ receivedMs }) => receivedMs <= beforeMs);
    if (last === undefined) return Number.NEGATIVE_INFINITY;
    // A read shows what is stored when it comes in; who has written knows what is stored when it is done.
    return last.verb === "get" ? last.receivedMs : last.completedMs;
  };
}
