// Selects the advisor's informers: all configs, plus the inputs and targets of configs that are not ignored.

import {
  deletableKinds,
  isMachineConfig,
  isPlanGuarded,
  isRolloutOpen,
  type ObjectsRead,
  type Profile,
  rolloutTarget,
} from "@virt/advisor";
import type { Ref, VirtPlatformConfig } from "@virt/api";
import {
  autopilotInformer,
  contentProjection,
  hcoInformers,
  kindInformer,
  ownedContentProjection,
  poolInformer,
  reportedContentProjection,
  vmNodeInformer,
  wantedHcoInformers,
} from "@virt/cluster";
import { hcoHealthInformers, impactInformers, isStillListing, rolloutInformers } from "@virt/impact";
import type { InformerSpec, InformerState } from "@virt/kube";

/**
 * Returns informers for all namespaces, even if one is pinned, to detect a HyperConverged in another namespace. They keep
 * the field owners, because these show whether virt-platform-autopilot is active.
 */
export function advisorHcoInformers(): readonly InformerSpec[] {
  return hcoInformers("", ownedContentProjection);
}

/** Kinds whose operator reports in their status whether it was able to apply the plan's values. */
const reported: ReadonlySet<string> = new Set(["KubeDescheduler", "NodeHealthCheck"]);

/** Returns the informer of one target. */
export function targetInformer({ apiVersion, kind, namespace, name }: Ref): InformerSpec {
  return { apiVersion, kind, name, ...(namespace !== undefined && { namespace }), projection: projectionOf(kind) };
}

/** Keeps the owners of kinds that a plan may delete, and of kinds that virt-platform-autopilot may manage. */
function projectionOf(kind: string): InformerSpec["projection"] {
  if (kind === "MachineConfig") return { keep: "all" };
  if (reported.has(kind)) return reportedContentProjection;
  return deletableKinds.has(kind) ? ownedContentProjection : contentProjection;
}

export type InformerSources = {
  readonly profiles: readonly Profile[];
  readonly hcoNamespace: string;
  readonly find: (spec: InformerSpec) => InformerState | undefined;
  readonly version: string;
};

export function informersOf(config: VirtPlatformConfig, wanting: InformerSources): readonly InformerSpec[] {
  const profile = wanting.profiles.find(({ name }) => name === config.spec.profile);
  if (profile === undefined || config.spec.action === "Ignore") return [];
  const reads = Object.values(profile.reads);
  const { items = [], rollouts = [] } = config.status ?? {};
  const rolledOut = rollouts.map(({ machineConfig }) => rolloutTarget(machineConfig));
  // A forged status could name any object, so only objects that the profile writes are watched.
  const targets = [...items.map(({ targetRef }) => targetRef), ...rolledOut].filter((ref) => isTarget(ref, profile));
  const objects = reads.flatMap((read) => (read.read === "object" ? [read.ref] : []));
  const lists = reads.flatMap((read) => (read.read === "objects" ? [listInformer(read)] : []));
  const isRolledOut = reads.some(({ read }) => read === "pools" || read === "kernel");
  return [
    autopilotInformer(wanting.hcoNamespace),
    ...(reads.some(({ read }) => read === "hco") ? wantedHcoInformers(advisorHcoInformers(), wanting.find) : []),
    ...(isRolledOut ? [poolInformer] : []),
    ...(followsNodes(config, wanting) ? [vmNodeInformer] : []),
    ...lists,
    ...[...objects, ...targets].map(targetInformer),
  ];
}

/** Returns the informer of all objects of a kind. */
export function listInformer({ apiVersion, kind, parts }: ObjectsRead): InformerSpec {
  return kindInformer(apiVersion, kind, parts);
}

/** Returns the informers for the impact of a pending plan. A draft does not need them. */
export function impactInformersOf(config: VirtPlatformConfig): readonly InformerSpec[] {
  return isImpactFollowed(config) ? impactInformers : [];
}

/**
 * Reports whether to assess the impact: for pending plans with MachineConfigs, running plans without a complete
 * assessment, and drift corrections limited by guards.
 */
export function isImpactFollowed({ spec, status }: VirtPlatformConfig): boolean {
  const { phase, items = [], impact } = status ?? {};
  if (spec.action === "Ignore") return false;
  const machineConfigs = items.filter(isMachineConfig);
  if (phase === "Drifted")
    return machineConfigs.length > 0 && spec.bypassOptimisticLock && Object.keys(spec.guards ?? {}).length > 0;
  const isUnassessed = impact === undefined || isStillListing(impact);
  const isOpen = phase === "ReviewRequired" || (phase === "InProgress" && isUnassessed);
  return isOpen && machineConfigs.some(({ changes }) => changes);
}

/** Returns the informers for the progress of a rollout. The execution does not need them. */
export function rolloutInformersOf(
  config: VirtPlatformConfig,
  { find }: Pick<InformerSources, "find">,
): readonly InformerSpec[] {
  if (!isRolloutFollowed(config)) return [];
  const wanted = wantedHcoInformers(hcoHealthInformers, find);
  return rolloutInformers.filter((spec) => !hcoHealthInformers.includes(spec) || wanted.includes(spec));
}

export function isRolloutFollowed({ spec, status = {} }: VirtPlatformConfig): boolean {
  return spec.action !== "Ignore" && isRolloutOpen(status);
}

/** Reports whether to watch nodes: during a draft or an execution, or if another version drafted the plan. */
export function followsNodes({ spec, status }: VirtPlatformConfig, { profiles, version }: InformerSources): boolean {
  const reads = Object.values(profiles.find(({ name }) => name === spec.profile)?.reads ?? {});
  const read = reads.find((one) => one.read === "vm-nodes");
  if (read === undefined || spec.action === "Ignore") return false;
  const { phase, operatorVersion } = status ?? {};
  return read.isFollowedAfterwards || !isPlanGuarded(phase) || operatorVersion !== version;
}

function isTarget({ apiVersion, kind, name }: Ref, { targets }: Profile): boolean {
  const group = apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
  return targets.some((target) => target.group === group && target.kind === kind && target.names.includes(name));
}
