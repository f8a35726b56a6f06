// What the advisor watches: all configs, and for those that are not ignored what their profiles read and write.

import { isMachineConfig, isPlanGuarded, isRolloutOpen, type Profile, rolloutTarget } from "@virt/advisor";
import type { Ref, VirtPlatformConfig } from "@virt/api";
import {
  contentProjection,
  hcoInformers,
  poolInformer,
  reportedContentProjection,
  vmNodeInformer,
  wantedHcoInformers,
} from "@virt/facts";
import { hcoHealthInformers, impactInformers, isStillListing, rolloutInformers } from "@virt/impact";
import type { InformerSpec, InformerState } from "@virt/kube";

/** In all namespaces, even if one is pinned: a HyperConverged elsewhere must not look like none. */
export function advisorHcoInformers(): readonly InformerSpec[] {
  return hcoInformers("", contentProjection);
}

/** Kinds whose operator reports whether it can carry out what the plan wrote. */
const reported: ReadonlySet<string> = new Set(["KubeDescheduler"]);

/** A target by its name. Who owns a MachineConfig decides whether it may be deleted, and it has no status that moves. */
export function targetInformer({ apiVersion, kind, namespace, name }: Ref): InformerSpec {
  const content = reported.has(kind) ? reportedContentProjection : contentProjection;
  const projection = kind === "MachineConfig" ? ({ keep: "all" } as const) : content;
  return { apiVersion, kind, name, ...(namespace !== undefined && { namespace }), projection };
}

export type InformerSources = {
  readonly profiles: readonly Profile[];
  readonly hcoNamespace: string;
  readonly find: (spec: InformerSpec) => InformerState | undefined;
  /** Of this operator. */
  readonly version: string;
};

/** What one config needs to be watched. */
export function informersOf(config: VirtPlatformConfig, wanting: InformerSources): readonly InformerSpec[] {
  const profile = wanting.profiles.find(({ name }) => name === config.spec.profile);
  if (profile === undefined || config.spec.action === "Ignore") return [];
  const reads = Object.values(profile.reads);
  const { items = [], rollouts = [] } = config.status ?? {};
  const rolledOut = rollouts.map(({ machineConfig }) => rolloutTarget(machineConfig));
  // A status may name anything; what the profile never writes gets no informer.
  const targets = [...items.map(({ targetRef }) => targetRef), ...rolledOut].filter((ref) => isTarget(ref, profile));
  const objects = reads.flatMap((read) => (read.read === "object" ? [read.ref] : []));
  const isRolledOut = reads.some(({ read }) => read === "pools" || read === "kernel");
  return [
    ...(reads.some(({ read }) => read === "hco") ? wantedHcoInformers(advisorHcoInformers(), wanting.find) : []),
    ...(isRolledOut ? [poolInformer] : []),
    ...(followsNodes(config, wanting) ? [vmNodeInformer] : []),
    ...[...objects, ...targets].map(targetInformer),
  ];
}

/** What shows the consequences of a plan that waits for its approval. None of it is needed to plan. */
export function impactInformersOf(config: VirtPlatformConfig): readonly InformerSpec[] {
  return isImpactFollowed(config) ? impactInformers : [];
}

/**
 * A plan waits that changes what nodes run, or one runs that was not assessed whole before it began, or drift is corrected that a guard may
 * hold.
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

/** What shows how a rollout goes on, while one is under way. None of it is needed to carry it out. */
export function rolloutInformersOf(
  config: VirtPlatformConfig,
  { find }: Pick<InformerSources, "find">,
): readonly InformerSpec[] {
  if (!isRolloutFollowed(config)) return [];
  const wanted = wantedHcoInformers(hcoHealthInformers, find);
  return rolloutInformers.filter((spec) => !hcoHealthInformers.includes(spec) || wanted.includes(spec));
}

/** Nodes have yet to take over what was written. */
export function isRolloutFollowed({ spec, status = {} }: VirtPlatformConfig): boolean {
  return spec.action !== "Ignore" && isRolloutOpen(status);
}

/** While a plan is made or executed; a plan that is only guarded does not need them, unless another version is compared with it. */
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
