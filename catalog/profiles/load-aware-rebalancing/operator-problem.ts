// Checks the requirements of the descheduler operator, and reports its problems. Source:
// pkg/operator/target_config_reconciler.go of openshift/cluster-kube-descheduler-operator, release-4.17 to release-5.1.

import type { OptionsRefusal, TargetProblem } from "@virt/advisor";
import { fieldManagers, type KubeObject } from "@virt/api";
import { conditionsOf, healthOf, isBehind } from "@virt/cluster";
import { asList, asText, at, isStatusOlder, member } from "@virt/objects";
import { type Capability, utilizationProfile } from "./capability.ts";
import { deschedulerRef, type LoadAwareFacts, monitoringRef, prometheusRouteRef } from "./facts.ts";

const { kind, name, namespace } = deschedulerRef;

/**
 * Longer than a leader change of the operator (LeaseDuration 137 s). Only write times show whether it processed a
 * change, and a clock that was set back may hide that.
 */
const longestUnprovenMs = 300_000;

/** Returns the operator's problem. While nodes wait for PSI, its complaint about missing PSI is expected. */
export function operatorProblem(live: KubeObject, isWaitingForPsi: boolean): TargetProblem | undefined {
  const next = `kubectl describe ${kind.toLowerCase()} ${name} -n ${namespace}`;
  const health = healthOf(live);
  if (health?.state !== "degraded") return unprocessedChange(live, next);
  const isExpected = isWaitingForPsi && health.message.includes("PSI");
  return {
    message: isExpected ? `${health.message}; expected until nodes have PSI metrics` : health.message,
    next,
    kind: isExpected ? "expected" : "fault",
  };
}

/** Returns an unprocessed change. The operator sets no observedGeneration, but writes its status after each change. */
function unprocessedChange(live: KubeObject, next: string): TargetProblem | undefined {
  const isKnown = isBehind(live);
  if (!isKnown && (conditionsOf(live).length === 0 || !isStatusOlder(live, fieldManagers.advisor))) return undefined;
  const message = `The operator of ${kind} '${name}' has not processed the change yet`;
  return { message, next, kind: "unprocessed", ...(!isKnown && { longestMs: longestUnprovenMs }) };
}

/** Reports whether the profile uses Prometheus metrics, by default or by another client's field. */
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
 * Refuses a plan whose profile lacks the Prometheus metrics it needs. Unreadable facts, and clusters without Routes,
 * are not refused.
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
