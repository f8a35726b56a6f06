// Gathers the facts for a reconcile from caches, memory and, for a draft, the server.

import { isMachineConfig, otherPoolPlans, type Profile, plannedItems, type ReconcileFacts } from "@virt/advisor";
import { autopilotName, type PoolDisruption, type Ref, type VirtPlatformConfig } from "@virt/api";
import { readMachineConfigPool, settledConfigs } from "@virt/cluster";
import { disruptionOf, publishedDisruption } from "@virt/impact";
import {
  type ClusterReader,
  crdInformer,
  type Discovery,
  type InformerSpec,
  type Log,
  type ReadResult,
} from "@virt/kube";
import type { AutopilotPresence } from "./autopilot-presence.ts";
import { type FactSources, readFacts } from "./profile-facts.ts";
import { readLeftBehind } from "./read-left-behind.ts";
import type { RememberedDraft } from "./runtime.ts";

export type GatherOptions = FactSources & {
  readonly discovery: Pick<Discovery, "find" | "forgetVersion">;
  readonly profiles: readonly Profile[];
  readonly disabledProfiles: readonly Profile[];
  readonly operator: ReconcileFacts["operator"];
  readonly nowMs: number;
  /** True to also read the facts that only a draft needs, with extra requests. */
  readonly isForDraft: boolean;
  readonly statusOrigin: ReconcileFacts["statusOrigin"];
  readonly drafts: ReadonlyMap<string, RememberedDraft>;
  readonly log: Pick<Log, "warn">;
  readonly autopilot: Pick<AutopilotPresence, "observe">;
};

export type GatheredFacts =
  | { readonly kind: "facts"; readonly facts: ReconcileFacts }
  | { readonly kind: "waiting"; readonly message: string }
  | Unreadable;

type Unreadable = Extract<ReadResult, { kind: "unavailable" }>;

export async function gatherFacts(config: VirtPlatformConfig, from: GatherOptions): Promise<GatheredFacts> {
  const { view, remembered, nowMs: now, operator } = from;
  const isNamed = ({ name }: Profile) => name === config.spec.profile;
  const profile = from.profiles.find(isNamed);
  const starting = config.spec.action === "Ignore" ? undefined : view.starting(needed(config, from));
  if (starting !== undefined) {
    const { kind } = "spec" in starting ? starting.spec : starting;
    const why = "lastError" in starting && starting.lastError !== undefined ? `: ${starting.lastError}` : "";
    return { kind: "waiting", message: `informer of ${kind} not synced${why}` };
  }
  const unserved = await unservedNeeds(profile, config, from);
  if (unserved.kind === "waiting") return unserved;
  const reader = attentive(from.cluster);
  const reading = { ...from, cluster: reader };
  const facts = profile === undefined ? { ownNamespace: from.ownNamespace } : await readFacts(profile, config, reading);
  const [unreadable] = reader.unreadable;
  if (unreadable !== undefined) return unreadable;
  await loadRendered(config, from);
  const left = await readLeftBehind(config, profile, from);
  if (left.kind === "unavailable") return left;
  const vmNodes = view.vmNodes(config);
  const nodesRefusal = view.nodesRefusal(config);
  const disruptionNow = disruptionOfStored(config, from);
  const gathered: ReconcileFacts = {
    now,
    operator,
    config,
    profile,
    isProfileDisabled: from.disabledProfiles.some(isNamed),
    facts,
    isServed: ({ group, kind }) => !unserved.kinds.has(`${kind}.${group}`),
    live: (ref) => view.target(ref),
    pools: view.pools(),
    otherPlans: otherPoolPlans(config.metadata.name, view.configs(), view.pools()),
    ...(config.spec.action !== "Ignore" && { autopilot: from.autopilot.observe(view.hco(config).object) }),
    ...(vmNodes && { vmNodes }),
    ...(nodesRefusal !== undefined && { nodesRefusal }),
    renderedOf: (name) => remembered.renderedNow(name),
    ...(disruptionNow && { disruptionNow }),
    ...(left.kind === "read" && { leftBehind: left.leftBehind }),
    isForDraft: from.isForDraft,
    statusOrigin: from.statusOrigin,
  };
  const missing = await missingNamespace(gathered, from.cluster);
  return { kind: "facts", facts: { ...gathered, ...(missing !== undefined && { missingNamespace: missing }) } };
}

function disruptionOfStored(config: VirtPlatformConfig, from: GatherOptions): readonly PoolDisruption[] | undefined {
  const whole = config.status?.phase === "ReviewRequired" ? disruptionOfDraft(config, from) : undefined;
  return whole && publishedDisruption(whole);
}

/** Returns the current plan's effect on each pool, or undefined if this process did not draft the plan. */
export function disruptionOfDraft(
  { metadata, status }: VirtPlatformConfig,
  { view, drafts }: Pick<GatherOptions, "view" | "drafts">,
): readonly PoolDisruption[] | undefined {
  const drafted = drafts.get(metadata.name);
  const policies = view.policies();
  if (policies === undefined || drafted === undefined || drafted.planHash !== status?.planHash) return undefined;
  return disruptionOf(drafted.writes, view.pools(), policies);
}

/** Wraps the reader to record failed reads. A plan requires all facts, so it cannot be drafted after a failed read. */
function attentive(cluster: ClusterReader): ClusterReader & { readonly unreadable: readonly Unreadable[] } {
  const unreadable: Unreadable[] = [];
  const read: ClusterReader["read"] = async (ref) => {
    const reading = await cluster.read(ref);
    if (reading.kind === "unavailable") unreadable.push(reading);
    return reading;
  };
  return { read, unreadable };
}

/** Returns the required informers. They include CRDs, because these determine which fields a profile may set. */
function needed(config: VirtPlatformConfig, { view }: GatherOptions) {
  const specs = view.wantedBy(config);
  const isDrafting = config.status?.phase === undefined || config.status.phase === "Drafting";
  // A draft reads single objects from the server, but lists from the cache.
  const isForDraft = ({ kind, name }: InformerSpec) =>
    kind === "HyperConverged" || name === undefined || name === autopilotName;
  return [crdInformer, ...(isDrafting ? specs.filter(isForDraft) : specs)];
}

type Unserved =
  | { readonly kind: "known"; readonly kinds: ReadonlySet<string> }
  | { readonly kind: "waiting"; readonly message: string };

async function unservedNeeds(
  profile: Profile | undefined,
  config: VirtPlatformConfig,
  from: GatherOptions,
): Promise<Unserved> {
  const given = profile?.optionsKey === undefined ? undefined : config.spec.options?.[profile.optionsKey];
  const kinds = new Set<string>();
  for (const { kind, group, versions } of profile?.needs(given) ?? []) {
    const finds = await Promise.all(
      versions.map((version) =>
        from.discovery.find({ apiVersion: `${group}/${version}`, kind }, from.signal, from.sender),
      ),
    );
    if (finds.some((find) => find.kind === "served")) continue;
    const unsure = finds.find((find) => find.kind === "unavailable");
    if (unsure !== undefined) return { kind: "waiting", message: `discovery of ${kind} failed` };
    kinds.add(`${kind}.${group}`);
    // Discovery is cached and may not include a new CRD yet, so it is invalidated for the next reconcile.
    if (config.status?.phase === "PrerequisiteFailed")
      for (const version of versions) from.discovery.forgetVersion(`${group}/${version}`);
  }
  return { kind: "known", kinds };
}

/**
 * Loads the rendered MachineConfigs that a decision depends on. They show whether a changed MachineConfig is already
 * rendered, and whether a waiting item can start on the nodes that run VMs.
 */
async function loadRendered(config: VirtPlatformConfig, from: GatherOptions): Promise<void> {
  const names = new Set([...unmovedConfigs(config, from), ...awaitedConfigs(config, from)]);
  await Promise.all([...names].map((name) => from.remembered.rendered(name, from.cluster)));
}

function unmovedConfigs({ status }: VirtPlatformConfig, { view }: GatherOptions): readonly string[] {
  const running = (status?.items ?? []).filter(({ state }) => state === "InProgress");
  const rollouts = [...running.flatMap(({ rollout }) => rollout ?? []), ...(status?.rollouts ?? [])];
  const before = rollouts.flatMap((rollout) => rollout.before);
  const targets = new Map(view.pools().map((pool) => [pool.metadata.name, readMachineConfigPool(pool).target.name]));
  return before
    .filter(({ pool, configuration }) => targets.get(pool) === configuration && configuration !== "")
    .map(({ configuration }) => configuration);
}

function awaitedConfigs(config: VirtPlatformConfig, { view }: GatherOptions): readonly string[] {
  const { phase, items = [] } = config.status ?? {};
  const isAwaited = items.some(({ state, waitsFor }) => state === "Pending" && waitsFor !== undefined);
  const vmNodes = view.vmNodes(config);
  if (phase !== "InProgress" || !isAwaited || vmNodes === undefined) return [];
  const ours = new Set(items.filter(isMachineConfig).map(({ targetRef }) => targetRef.name));
  const rolledOut = view
    .pools()
    .filter((pool) => readMachineConfigPool(pool).target.sources.some((source) => ours.has(source)));
  return settledConfigs(vmNodes, rolledOut);
}

/** Returns the namespace that the plan is waiting for, if it is still missing. Reads it, because namespaces are not watched. */
async function missingNamespace(facts: ReconcileFacts, cluster: ClusterReader): Promise<string | undefined> {
  if (facts.config.status?.phase !== "PrerequisiteFailed" || facts.profile === undefined) return undefined;
  const refs: readonly Ref[] = plannedItems(facts).map(({ target }) => target);
  for (const namespace of new Set(refs.flatMap((ref) => ref.namespace ?? []))) {
    const reading = await cluster.read({ apiVersion: "v1", kind: "Namespace", name: namespace });
    if (reading.kind === "absent") return namespace;
  }
  return undefined;
}
