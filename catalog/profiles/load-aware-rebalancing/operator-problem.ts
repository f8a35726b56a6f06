// Checks the descheduler operator's prerequisites, and reports its problems. Source:
// pkg/operator/target_config_reconciler.go in openshift/cluster-kube-descheduler-operator, release-4.17 to release-5.1.

import type { OptionsRefusal, TargetProblem } from "@virt/advisor";
import { fieldManagers, type KubeObject } from "@virt/api";
import { conditionsOf, healthOf, isBehind } from "@virt/cluster";
import { asList, asText, at, isStatusOlder, member } from "@virt/objects";
import { type Capability, utilizationProfile } from "./capability.ts";
import { deschedulerRef, type LoadAwareFacts, monitoringRef, prometheusRouteRef } from "./facts.ts";

const { kind, name, namespace } = deschedulerRef;

/**
 * How long the operator may appear not to have processed a change. Longer than a leader change (LeaseDuration 137 s).
 * The check compares write times, so without this limit, a clock that was set back would block the plan forever.
 */
const longestUnprovenMs = 300_000;

/** Returns the operator's problem. An error about missing PSI metrics is expected until nodes have rebooted with PSI. */
export function operatorProblem(live: KubeObject, isWaitingForPsi: boolean): TargetProblem | undefined {
  const next = `kubectl describe ${kind.toLowerCase()} ${name} -n ${namespace}`;
  const health = healthOf(live);
  if (health?.state !== "degraded") return unprocessedChange(live, next);
  const isExpected = isWaitingForPsi && health.message.includes("PSI");
  return {
    message: isExpected ? `${health.message}; expected until PSI metrics are enabled on the nodes` : health.message,
    next,
    kind: isExpected ? "expected" : "fault",
  };
}

/**
 * Returns a problem if the operator has not processed the last change. It sets no observedGeneration, so this compares
 * the times of its status writes.
 */
function unprocessedChange(live: KubeObject, next: string): TargetProblem | undefined {
  const isKnown = isBehind(live);
  if (!isKnown && (conditionsOf(live).length === 0 || !isStatusOlder(live, fieldManagers.advisor))) return undefined;
  const message = `The operator of ${kind} '${name}' has not processed the change yet`;
  return { message, next, kind: "unprocessed", ...(!isKnown && { longestMs: longestUnprovenMs }) };
}

/** Reports whether the profile uses Prometheus metrics, either by default or because another client set a field. */
export function readsMetrics(
  { usesPsi }: Capability,
  isEnablingPsi: boolean,
  { descheduler }: Pick<LoadAwareFacts, "descheduler">,
): boolean {
  const asked = asText(at(descheduler, "spec", "profileCustomizations", utilizationProfile)) ?? "";
  return usesPsi === "always" || (usesPsi === "byField" && (isEnablingPsi || asked !== ""));
}

const monitoringLabel = { key: "openshift.io/cluster-monitoring", value: "true" };

/**
 * Refuses a plan if its profile needs Prometheus metrics that are not available. Does not refuse it if facts cannot be
 * read or the cluster has no Routes.
 */
export function refuseWithoutMetrics(
  { usesPsi }: Capability,
  { prometheusRoute, deschedulerNamespace }: LoadAwareFacts,
): OptionsRefusal | undefined {
  if (usesPsi === "never" || prometheusRoute.kind === "unknown") return undefined;
  const host = prometheusRoute.kind === "found" ? hostOf(prometheusRoute.object) : "";
  if (host === "") {
    const route = `${prometheusRouteRef.namespace}/${prometheusRouteRef.name}`;
    const fault = prometheusRoute.kind === "found" ? "has no host" : "does not exist";
    return {
      kind: "unfit",
      message: `The descheduler operator reads metrics through Route ${route}, which ${fault}.`,
      next: "enable the default platform monitoring of OpenShift with its Route. The plan is then drafted automatically.",
    };
  }
  const { key, value } = monitoringLabel;
  const isLabelled =
    deschedulerNamespace.kind !== "found" || deschedulerNamespace.object.metadata.labels?.[key] === value;
  if (usesPsi === "byField" || isLabelled) return undefined;
  return {
    kind: "unfit",
    message: `Namespace '${monitoringRef.name}' does not have label ${key}=${value}, which the descheduler operator requires for the profile.`,
    next: `kubectl label namespace ${monitoringRef.name} ${key}=${value}`,
  };
}

function hostOf(route: KubeObject): string {
  const [first] = asList(at(route, "status", "ingress"));
  return asText(member(first, "host")) ?? "";
}
