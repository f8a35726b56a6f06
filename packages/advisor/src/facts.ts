// The inputs of a reconcile.

import type { Impact, KubeObject, LeftBehind, PoolDisruption, Ref, VirtPlatformConfig } from "@virt/api";
import { type RenderedOf } from "@virt/cluster";
import type { PoolFacts } from "@virt/impact";
import { targetKey } from "@virt/objects";
import type { ObservedAutopilot } from "./autopilot-targets.ts";
import type { Drift } from "./observed.ts";
import type { AnyProfileFacts, CrdRequirement, Profile } from "./profile.ts";
import type { ProfileHcoFact } from "./reads.ts";
import type { PoolPlan } from "./shared-pools.ts";

/** Facts about the operator. `withheld` is set if it currently executes no plans, even approved ones, and contains the reason. */
export type OperatorFacts = { readonly version: string; readonly mustPin: boolean; readonly withheld?: string };

/** `own`: this process wrote the stored status. `unknown`: another process or client may have written it. */
export type StatusOrigin = "own" | "unknown";

/** All inputs for one reconcile of a config. The functions in it read from memory and send no requests. */
export type ReconcileFacts = {
  readonly now: number;
  readonly operator: OperatorFacts;
  readonly config: VirtPlatformConfig;
  /** Undefined if this build does not contain the profile, or the profile is disabled. */
  readonly profile: Profile | undefined;
  /** True if the operator was started without the flag that enables the profile. */
  readonly isProfileDisabled?: boolean;
  readonly facts: AnyProfileFacts;
  readonly isServed: (need: CrdRequirement) => boolean;
  /** The namespace that the plan needs but does not exist. Absent if this was not checked. */
  readonly missingNamespace?: string;
  readonly live: (ref: Ref) => KubeObject | undefined;
  readonly pools: readonly KubeObject[];
  /** Undefined while nodes are not watched. */
  readonly vmNodes?: readonly KubeObject[];
  /** The API server's error if the operator is not allowed to list nodes. */
  readonly nodesRefusal?: string;
  readonly renderedOf: RenderedOf;
  /** The nodes in pools that are rolling out a change. Undefined while they are not watched. */
  readonly rollingNodes?: Pick<PoolFacts, "nodes" | "machineConfigNodes">;
  /** The disruption that the stored plan would cause now, with the current pools and policies. Undefined if unknown. */
  readonly disruptionNow?: readonly PoolDisruption[];
  /** Undefined if the plan is not assessed yet. */
  readonly impactNow?: Impact;
  /** Absent for an ignored config. */
  readonly autopilot?: ObservedAutopilot;
  readonly otherPlans?: readonly PoolPlan[];
  /** Undefined if not read in this reconcile. */
  readonly leftBehind?: readonly LeftBehind[];
  /** True if the reconcile read all inputs of a draft, including those that are not watched. */
  readonly isForDraft: boolean;
  readonly statusOrigin: StatusOrigin;
};

/** Confirmed drift, by item name. An item without an entry has not drifted. */
export type Drifts = ReadonlyMap<string, Drift>;

/** Live targets by key. Undefined if a target does not exist. */
export type LiveTargets = ReadonlyMap<string, KubeObject | undefined>;

const hcoKind = { kind: "HyperConverged", name: "kubevirt-hyperconverged" };

/** Returns the facts with freshly read targets instead of the cached ones. */
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
