// What the stored configs said about a target when it was written: which items name it, and whether they allow the write.

import { equalJson } from "@virt/engine";
import type { Audited } from "./audited.ts";
import type { ConfigVersion, History } from "./history.ts";
import type { StoredConfig, StoredItem } from "./stored-config.ts";

/** One item of one version of a config that a write could have been based on. */
export type Ground = { readonly config: StoredConfig; readonly item: StoredItem; readonly refusal: string | undefined };

/** Every item that names the target, in each version that its writer could still take for the stored one. */
export function groundsOf(history: History, write: Audited): readonly Ground[] {
  return [...history.configs].flatMap(([name, versions]) =>
    believable(history, { write, name, versions }).flatMap(({ object }) =>
      object === undefined ? [] : groundsIn(object, { history, versions, write }),
    ),
  );
}

type Belief = { readonly write: Audited; readonly name: string; readonly versions: readonly ConfigVersion[] };

/**
 * The server has no way to make a write depend on another object. So a version counts until the writer has learned of a newer
 * one, by a read or a write of its own, but not longer than a request takes to arrive.
 */
function believable(history: History, { write, name, versions }: Belief): readonly ConfigVersion[] {
  const learned = history.lastLearned(write.userAgent, name, write.receivedMs);
  const since = Math.max(learned, write.receivedMs - history.scope.crossingMs);
  return versions.filter(({ by }, at) => {
    const next = versions[at + 1];
    return by.receivedMs <= write.receivedMs && (next === undefined || next.by.completedMs > since);
  });
}

type Surroundings = {
  readonly history: History;
  readonly versions: readonly ConfigVersion[];
  readonly write: Audited;
};

function groundsIn(config: StoredConfig, { history, versions, write }: Surroundings): readonly Ground[] {
  const items = config.status?.items?.filter((item) => isTarget(item, write)) ?? [];
  return items.map((item) => ({
    config,
    item,
    refusal: refusalOf(config, item) ?? hashRefusal(config, history) ?? editRefusal(config, versions),
  }));
}

function isTarget({ targetRef }: StoredItem, { group, resource, namespace, name }: Audited): boolean {
  const [first = "", version] = targetRef.apiVersion.split("/");
  const isKind = (version === undefined ? "" : first) === group && pluralOf(targetRef.kind) === resource;
  return isKind && targetRef.name === name && (targetRef.namespace ?? "") === namespace;
}

/** Not true in general, but for every kind that a profile writes. */
function pluralOf(kind: string): string {
  return `${kind.toLowerCase()}s`;
}

function refusalOf({ spec, status }: StoredConfig, item: StoredItem): string | undefined {
  if (spec.action !== "Apply") return `action is ${spec.action}`;
  if (status?.phase !== "InProgress") return `phase is ${status?.phase}`;
  if (item.state !== "InProgress") return `item ${item.name} is ${item.state}`;
  return undefined;
}

function hashRefusal({ spec, status }: StoredConfig, { scope }: History): string | undefined {
  const isFree = spec.approvedPlan === undefined && !scope.isApprovalRequired;
  return isFree || spec.approvedPlan === status?.planHash ? undefined : "approvedPlan does not name this plan";
}

/** The plan was drafted for the spec that was carried out; another one needs another plan. */
function editRefusal({ metadata, spec, status }: StoredConfig, versions: readonly ConfigVersion[]): string | undefined {
  const executed = status?.executedGeneration;
  const drafted = versions.find(
    ({ object }) => object?.metadata.uid === metadata.uid && object.metadata.generation === executed,
  )?.object?.spec;
  if (drafted === undefined) return `generation ${executed} was never stored`;
  return equalJson(planned(drafted), planned(spec)) ? undefined : "the spec was changed after the approval";
}

function planned({ action: _action, approvedPlan: _approved, ...spec }: StoredConfig["spec"]) {
  return spec;
}
