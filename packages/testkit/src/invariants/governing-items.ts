// Finds the plan items that apply to a write, and whether they allow it.

import { equalJson } from "@virt/objects";
import type { AuditedRequest } from "./audited-requests.ts";
import type { ConfigVersion, History } from "./history.ts";
import type { StoredConfig, StoredItem } from "./stored-config.ts";

/** `refusal` is the reason why the item does not allow the write. */
export type GoverningItem = {
  readonly config: StoredConfig;
  readonly item: StoredItem;
  readonly refusal: string | undefined;
};

/** Returns the matching plan items. Includes those in older versions of a config, if the writer may not have seen a newer one. */
export function governingItems(history: History, write: AuditedRequest): readonly GoverningItem[] {
  return [...history.configs].flatMap(([name, versions]) =>
    believableVersions(history, { write, name, versions }).flatMap(({ object }) =>
      object === undefined ? [] : governingItemsIn(object, { history, versions, write }),
    ),
  );
}

type ConfigHistory = {
  readonly write: AuditedRequest;
  readonly name: string;
  readonly versions: readonly ConfigVersion[];
};

/**
 * Returns the versions that the writer may have believed to be current. The API server cannot make a write depend on
 * another object, so a version counts until the writer has seen a newer one, but only for as long as a request can
 * take.
 */
function believableVersions(history: History, { write, name, versions }: ConfigHistory): readonly ConfigVersion[] {
  const learned = history.lastLearned(write.userAgent, name, write.receivedMs);
  const since = Math.max(learned, write.receivedMs - history.scope.crossingMs);
  return versions.filter(({ by }, at) => {
    const next = versions[at + 1];
    return by.receivedMs <= write.receivedMs && (next === undefined || next.by.completedMs > since);
  });
}

type WriteContext = {
  readonly history: History;
  readonly versions: readonly ConfigVersion[];
  readonly write: AuditedRequest;
};

function governingItemsIn(config: StoredConfig, { history, versions, write }: WriteContext): readonly GoverningItem[] {
  const items = config.status?.items?.filter((item) => isTarget(item, write)) ?? [];
  return items.map((item) => ({
    config,
    item,
    refusal:
      refusalOf(config, item) ??
      hashRefusal(config, history) ??
      editRefusal(config, versions) ??
      forgeryRefusal(config, item, { history, versions, write }),
  }));
}

export function isTarget({ targetRef }: StoredItem, { group, resource, namespace, name }: AuditedRequest): boolean {
  const [first = "", version] = targetRef.apiVersion.split("/");
  const isKind = (version === undefined ? "" : first) === group && pluralOf(targetRef.kind) === resource;
  return isKind && targetRef.name === name && (targetRef.namespace ?? "") === namespace;
}

/** Derives the plural. This simple rule is correct for all kinds that profiles write. */
function pluralOf(kind: string): string {
  return `${kind.toLowerCase()}s`.replace(/ys$/, "ies");
}

function refusalOf({ spec, status }: StoredConfig, item: StoredItem): string | undefined {
  if (spec.action !== "Apply") return `action is ${spec.action}`;
  if (status?.phase !== "InProgress") return `phase is ${status?.phase}`;
  if (item.state !== "InProgress") return `item ${item.name} is ${item.state}`;
  return undefined;
}

function hashRefusal({ spec, status }: StoredConfig, { scope }: History): string | undefined {
  const isFree = spec.approvedPlan === undefined && !scope.isApprovalRequired;
  return isFree || isNamed(status?.planHash, spec.approvedPlan) ? undefined : "approvedPlan does not name this plan";
}

/** Accepts the full hash or a prefix of at least 12 digits. */
function isNamed(planHash: string | undefined, named: string | undefined): boolean {
  if (named === undefined || named === planHash) return named !== undefined;
  return named.length >= 12 && planHash?.startsWith(named) === true;
}

/** A plan covers only the spec for which it was drafted. */
function editRefusal({ metadata, spec, status }: StoredConfig, versions: readonly ConfigVersion[]): string | undefined {
  const executed = status?.executedGeneration;
  const drafted = versions.find(
    ({ object }) => object?.metadata.uid === metadata.uid && object.metadata.generation === executed,
  )?.object?.spec;
  if (drafted === undefined) return `generation ${executed} was never stored`;
  return equalJson(plannedSpec(drafted), plannedSpec(spec)) ? undefined : "the spec was changed after the approval";
}

/** The controller must have stored the item first. It may copy a status that another client changed. */
function forgeryRefusal(
  { metadata }: StoredConfig,
  { name, desiredState, targetRef }: StoredItem,
  { history, versions }: WriteContext,
): string | undefined {
  const isIt = (item: StoredItem) =>
    item.name === name && equalJson(item.desiredState, desiredState) && equalJson(item.targetRef, targetRef);
  const first = versions.find(
    ({ object }) => object?.metadata.uid === metadata.uid && object.status?.items?.some(isIt) === true,
  );
  if (first === undefined || history.scope.accounts.includes(first.by.account)) return undefined;
  return `item ${name} was put on record by ${first.by.account}`;
}

function plannedSpec({ action: _action, approvedPlan: _approved, ...spec }: StoredConfig["spec"]) {
  return spec;
}
