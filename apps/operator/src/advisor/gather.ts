// Reads what a pass needs to know, or says what has to come first.

import { type PassFacts, type Profile, plannedItems } from "@virt/advisor";
import type { Ref, VirtPlatformConfig } from "@virt/api";
import { asText, at } from "@virt/engine";
import { crdWatch, type Discovery, type Reader, type Reading, type WatchSpec } from "@virt/kube";
import { readFacts, type Sources } from "./read-facts.ts";

export type Gathering = Sources & {
  readonly discovery: Pick<Discovery, "find" | "forgetVersion">;
  readonly profiles: readonly Profile[];
  readonly operator: PassFacts["operator"];
  readonly nowMs: number;
  /** What only a draft needs costs requests. */
  readonly isForDraft: boolean;
};

export type Gathered =
  | { readonly kind: "facts"; readonly facts: PassFacts }
  | { readonly kind: "waiting"; readonly message: string }
  | Unreadable;

type Unreadable = Extract<Reading, { kind: "unavailable" }>;

export async function gather(config: VirtPlatformConfig, from: Gathering): Promise<Gathered> {
  const { view, remembered, nowMs: now, operator } = from;
  const profile = from.profiles.find(({ name }) => name === config.spec.profile);
  const starting = config.spec.action === "Ignore" ? undefined : view.starting(needed(config, from));
  if (starting !== undefined) {
    const { kind } = "spec" in starting ? starting.spec : starting;
    const why = "trouble" in starting && starting.trouble !== undefined ? `: ${starting.trouble}` : "";
    return { kind: "waiting", message: `the list of ${kind} is not complete${why}` };
  }
  const unserved = await unservedNeeds(profile, config, from);
  if (unserved.kind === "waiting") return unserved;
  const reader = attentive(from.cluster);
  const reading = { ...from, cluster: reader };
  const facts = profile === undefined ? { ownNamespace: from.ownNamespace } : await readFacts(profile, config, reading);
  const [unreadable] = reader.unreadable;
  if (unreadable !== undefined) return unreadable;
  await loadRendered(config, from);
  const gathered: PassFacts = {
    now,
    operator,
    config,
    profile,
    facts,
    isServed: ({ group, kind }) => !unserved.kinds.has(`${kind}.${group}`),
    live: (ref) => view.target(ref),
    pools: view.pools(),
    renderedOf: (name) => remembered.renderedNow(name),
  };
  const missing = await missingNamespace(gathered, from.cluster);
  return { kind: "facts", facts: { ...gathered, ...(missing !== undefined && { missingNamespace: missing }) } };
}

/** A fact that cannot be read now is no fact: nothing is planned without it. */
function attentive(cluster: Reader): Reader & { readonly unreadable: readonly Unreadable[] } {
  const unreadable: Unreadable[] = [];
  const read: Reader["read"] = async (ref) => {
    const reading = await cluster.read(ref);
    if (reading.kind === "unavailable") unreadable.push(reading);
    return reading;
  };
  return { read, unreadable };
}

/** The CRDs say what a profile may set. Targets are not needed for a draft: it reads them itself. */
function needed(config: VirtPlatformConfig, { view }: Gathering) {
  const specs = view.wantedBy(config);
  const isDrafting = config.status?.phase === undefined || config.status.phase === "Drafting";
  const isForDraft = ({ kind }: WatchSpec) => kind === "HyperConverged" || kind === "MachineConfigPool";
  return [crdWatch, ...(isDrafting ? specs.filter(isForDraft) : specs)];
}

type Unserved =
  | { readonly kind: "known"; readonly kinds: ReadonlySet<string> }
  | { readonly kind: "waiting"; readonly message: string };

async function unservedNeeds(
  profile: Profile | undefined,
  config: VirtPlatformConfig,
  from: Gathering,
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
    if (unsure !== undefined) return { kind: "waiting", message: `cannot find out whether ${kind} is served` };
    kinds.add(`${kind}.${group}`);
    // The answer may be from before a path was served whose CRD was announced: the next look asks again.
    if (config.status?.phase === "PrerequisiteFailed")
      for (const version of versions) from.discovery.forgetVersion(`${group}/${version}`);
  }
  return { kind: "known", kinds };
}

/** A changed MachineConfig may render under the name that the pool has already: then its content decides. */
async function loadRendered({ status }: VirtPlatformConfig, { view, remembered, cluster }: Gathering): Promise<void> {
  const before = (status?.items ?? []).flatMap(({ rollout, state }) =>
    state === "InProgress" ? (rollout?.before ?? []) : [],
  );
  const targets = new Map(
    view.pools().map((pool) => [pool.metadata.name, asText(at(pool, "spec", "configuration", "name"))]),
  );
  const same = before.filter(({ pool, configuration }) => targets.get(pool) === configuration && configuration !== "");
  await Promise.all(
    [...new Set(same.map(({ configuration }) => configuration))].map((name) => remembered.rendered(name, cluster)),
  );
}

/** Looked for only where a plan waits for one: namespaces are not watched. */
async function missingNamespace(facts: PassFacts, cluster: Reader): Promise<string | undefined> {
  if (facts.config.status?.phase !== "PrerequisiteFailed" || facts.profile === undefined) return undefined;
  const refs: readonly Ref[] = plannedItems(facts).map(({ target }) => target);
  for (const namespace of new Set(refs.flatMap((ref) => ref.namespace ?? []))) {
    const reading = await cluster.read({ apiVersion: "v1", kind: "Namespace", name: namespace });
    if (reading.kind === "absent") return namespace;
  }
  return undefined;
}
