// Maps changes seen by informers to the configs to reconcile.

import { type Profile, poolPlansOf } from "@virt/advisor";
import { configKind, type KubeObject, type Status, type VirtPlatformConfig } from "@virt/api";
import { poolInformer } from "@virt/cluster";
import { disruptionPolicyInformer, impactInformers, rolloutInformers } from "@virt/impact";
import { crdInformer, type InformerSpec, type InformerState, type StoreChange } from "@virt/kube";
import { canonicalJson, equalJson } from "@virt/objects";
import { type AdvisorView, isConfig } from "./advisor-view.ts";
import { impactInformersOf, isImpactFollowed, isRolloutFollowed } from "./informers.ts";
import type { AdvisorRuntime } from "./runtime.ts";

/** Informers that affect only displayed values. Their changes requeue configs with a delay. */
const followedForImpact: ReadonlySet<InformerSpec> = new Set(
  rolloutInformers.filter((spec) => spec !== poolInformer && spec !== disruptionPolicyInformer),
);

export function keysForChange(
  spec: InformerSpec,
  change: StoreChange<KubeObject>,
  runtime: AdvisorRuntime,
): readonly string[] {
  const { key } = change;
  if (spec.kind === configKind.kind) {
    runtime.refreshInformers();
    return [key, ...reviewsBeside(change, runtime.view)];
  }
  const { view, impacts, doctor, autopilot } = runtime;
  autopilot.noticeChange(change.after);
  if (impactInformers.includes(spec) && view.configs().some(isImpactFollowed)) impacts.noticeChange();
  if (rolloutInformers.includes(spec) && view.configs().some(isRolloutFollowed)) doctor.noticeChange(spec, change);
  if (followedForImpact.has(spec)) return [];
  return view
    .configs()
    .filter((config) => isConcerned(config, spec, key, runtime))
    .map(nameOf);
}

/** Returns other configs under review that reboot the same pools as the changed config, because their warnings mention it. */
export function reviewsBeside(
  { key, before, after }: StoreChange<KubeObject>,
  { configs }: Pick<AdvisorView, "configs">,
): readonly string[] {
  const [was, is] = [before, after].map((one) => (isConfig(one) ? poolPlansOf(one) : []));
  if (equalJson(was ?? [], is ?? [])) return [];
  return configs()
    .filter(({ metadata, status }) => metadata.name !== key && status?.phase === "ReviewRequired")
    .map(nameOf);
}

/** Returns the configs to reconcile after a kind starts or stops being served, or after its first list. */
export function keysForInformer(informer: InformerState, runtime: AdvisorRuntime): readonly string[] {
  const { spec, state } = informer;
  const { view, advertised } = runtime;
  runtime.refreshInformers();
  if (impactInformers.includes(spec)) runtime.impacts.noticeList();
  if (spec.kind === configKind.kind)
    return state === "synced" ? [...view.configs().map(nameOf), ...advertised.map(({ name }) => name)] : [];
  return view.configs().filter(isManaged).map(nameOf);
}

function nameOf({ metadata }: VirtPlatformConfig): string {
  return metadata.name;
}

type ConcernSources = { readonly profiles: readonly Profile[]; readonly view: Pick<AdvisorView, "wantedBy"> };

/** Reports whether a change affects the config. Returns false for an ignored config. */
export function isConcerned(
  config: VirtPlatformConfig,
  spec: InformerSpec,
  key: string,
  from: ConcernSources,
): boolean {
  if (!isManaged(config)) return false;
  // A config may wait for this CRD, or its plan may depend on it.
  if (spec.kind === crdInformer.kind)
    return config.status?.phase === "PrerequisiteFailed" || readsSchema(config, key, from);
  if (spec.kind === poolInformer.kind) return isRollingOut(config.status ?? {});
  const id = canonicalJson(spec);
  const wanted = [...from.view.wantedBy(config), ...impactInformersOf(config)];
  return wanted.some((one) => canonicalJson(one) === id);
}

function isManaged({ spec }: VirtPlatformConfig): boolean {
  return spec.action !== "Ignore";
}

function isRollingOut({ items = [], rollouts = [] }: Status): boolean {
  return rollouts.length > 0 || items.some(({ targetRef }) => targetRef.kind === "MachineConfig");
}

function readsSchema({ spec }: VirtPlatformConfig, crd: string, { profiles }: ConcernSources): boolean {
  const reads = Object.values(profiles.find(({ name }) => name === spec.profile)?.reads ?? {});
  return reads.some((read) => read.read === "schema" && read.crd === crd);
}
