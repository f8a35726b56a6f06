// What was read for a reconcile, before anything is made of it, and how targets that were just read take the place of cached ones.

import type { Impact, KubeObject, LeftBehind, PoolDisruption, Ref, VirtPlatformConfig } from "@virt/api";
import { type RenderedOf, targetKey } from "@virt/engine";
import type { PoolFacts } from "@virt/impact";
import type { Drift } from "./observed.ts";
import type { AnyProfileFacts, CrdRequirement, Profile } from "./profile.ts";
import type { ProfileHcoFact } from "./reads.ts";
import type { PoolPlan } from "./shared-pools.ts";

/** `withheld`: why nothing may be executed here at all, whoever approved it. */
export type OperatorFacts = { readonly version: string; readonly mustPin: boolean; readonly withheld?: string };

/** Who wrote the stored status: this process, or possibly somebody else, before it started. */
export type StatusOrigin = "own" | "unknown";

/**
 * All that was read for one reconcile of one config, before anything is made of it. Its functions answer from memory and never ask
 * the server.
 */
export type ReconcileFacts = {
  readonly now: number;
  readonly operator: OperatorFacts;
  readonly config: VirtPlatformConfig;
  /** Undefined: this build does not know the profile, or the profile is disabled. */
  readonly profile: Profile | undefined;
  /** The build knows the profile, but the operator runs without the flag that enables it. */
  readonly isProfileDisabled?: boolean;
  readonly facts: AnyProfileFacts;
  readonly isServed: (need: CrdRequirement) => boolean;
  /** A namespace that the plan needs and that does not exist; absent also where nobody checked. */
  readonly missingNamespace?: string;
  readonly live: (ref: Ref) => KubeObject | undefined;
  readonly pools: readonly KubeObject[];
  /** Undefined while they are not followed. */
  readonly vmNodes?: readonly KubeObject[];
  /** The API server's refusal to list nodes; absent if it does not refuse. */
  readonly nodesRefusal?: string;
  readonly renderedOf: RenderedOf;
  /** The nodes of pools that roll; undefined while they are not followed. */
  readonly rollingNodes?: Pick<PoolFacts, "nodes" | "machineConfigNodes">;
  /** What the stored plan would do to each pool by the pools and policies of now; undefined: not known. */
  readonly disruptionNow?: readonly PoolDisruption[];
  /** Undefined: it is not assessed, or not yet. */
  readonly impactNow?: Impact;
  /** Open plans of other configs that reboot nodes. */
  readonly otherPlans?: readonly PoolPlan[];
  /** What earlier plans left in place; undefined: not read in this reconcile, because nothing asked for it. */
  readonly leftBehind?: readonly LeftBehind[];
  /** Everything was read that a plan is rendered from, not only what is followed. */
  readonly isForDraft: boolean;
  readonly statusOrigin: StatusOrigin;
};

/** The drifts that a dry run confirmed, by item. */
export type Drifts = ReadonlyMap<string, Drift>;

/** Targets by their key; undefined: absent. */
export type LiveTargets = ReadonlyMap<string, KubeObject | undefined>;

const hcoKind = { kind: "HyperConverged", name: "kubevirt-hyperconverged" };

/** The same facts with these targets, which were just read, in place of what the caches showed. Other objects stay as they are. */
export function withLiveTargets(facts: ReconcileFacts, targets: LiveTargets): ReconcileFacts {
  const { live, profile } = facts;
  const fresh = Object.entries(profile?.reads ?? {}).flatMap(([name, read]): [string, AnyProfileFacts[string]][] => {
    if ((read.read === "object" || read.read === "target") && targets.has(targetKey(read.ref)))
      return [[name, targets.get(targetKey(read.ref))]];
    if (read.read === "hco") return [[name, freshHco(facts.facts[name] as ProfileHcoFact, targets)]];
    return [];
  });
  return {
    ...facts,
    facts: { ...facts.facts, ...Object.fromEntries(fresh), ownNamespace: facts.facts.ownNamespace },
    live: (ref) => (targets.has(targetKey(ref)) ? targets.get(targetKey(ref)) : live(ref)),
  };
}

function freshHco(fact: ProfileHcoFact, targets: LiveTargets): ProfileHcoFact {
  const key = targetKey({ ...hcoKind, apiVersion: fact.apiVersion, namespace: fact.namespace });
  return targets.has(key) ? { ...fact, object: targets.get(key) } : fact;
}
