// Builds the events of completed writes, including the number of affected nodes.

import type { EventMessage, KubeObject, Ref } from "@virt/api";
import { readKubeletConfig, type Topology } from "@virt/cluster";
import { asText, at, contentChanges, entriesOf, isMap, member, showValue, writePath } from "@virt/objects";
import type { EvaluatedObject } from "../evaluate/evaluate-object.ts";
import { objectName } from "../evaluate/managed-objects.ts";
import { objectAnnotations } from "../hco-annotations.ts";
import type { AppliedOutcome, ReconciledObject } from "./reconcile-outcome.ts";
import { activeAssets, driftEvents, normalEvent } from "./status-events.ts";

/** Returns the events of a write. Empty if nothing was written. */
export function eventsForOutcome(
  ref: Ref,
  { outcome, evaluated }: ReconciledObject,
  topology: Topology,
): readonly EventMessage[] {
  if (outcome.kind !== "applied") return [];
  const name = objectName(ref);
  return [
    ...doneEvents(name, outcome),
    ...appliedEvents(name, outcome, { evaluated, reach: reachOf(outcome, topology) }),
  ];
}

function doneEvents(name: string, { apply: { done } }: AppliedOutcome): readonly EventMessage[] {
  const { patched, released, isResumed } = done;
  return [
    ...(isResumed ? resumedEvents(name) : []),
    ...(patched > 0 ? normalEvent("PatchApplied", `Applied ${patched} JSON patch operation(s) to ${name}`) : []),
    ...(released.length > 0
      ? normalEvent("FieldsReleased", `Released ${released.map(writePath).join(", ")} of ${name}`)
      : []),
    ...adoptionEvents(name, done.adopted),
  ];
}

// Kubernetes limits the note of an event to 1 kB.
const mostCharacters = 700;

function adoptionEvents(name: string, adopted: AppliedOutcome["apply"]["done"]["adopted"]): readonly EventMessage[] {
  const fields = adopted.map(
    ({ path, live, desired, managers }) =>
      `${writePath(path)} (${showValue(live)} → ${showValue(desired)}, previously owned by ${managers.join(", ")})`,
  );
  return chunked(fields).flatMap((text) =>
    normalEvent(
      "FieldsAdopted",
      `Took over fields of ${name} because of annotation ${objectAnnotations.adopt}: ${text}`,
    ),
  );
}

function chunked(texts: readonly string[]): readonly string[] {
  return texts.reduce<readonly string[]>((chunks, text) => {
    const last = chunks.at(-1);
    const isFull = last === undefined || last.length + text.length > mostCharacters;
    return isFull ? [...chunks, text] : [...chunks.slice(0, -1), `${last}, ${text}`];
  }, []);
}

/** Returns the event for an object whose reconciliation resumed after a pause. */
export function resumedEvents(name: string): readonly EventMessage[] {
  return normalEvent("ReconcileResumed", `Reconciliation of ${name} resumed`);
}

type OutcomeContext = { readonly evaluated: EvaluatedObject; readonly reach: RolloutReach | undefined };

function appliedEvents(
  name: string,
  { apply }: AppliedOutcome,
  { evaluated, reach }: OutcomeContext,
): readonly EventMessage[] {
  const next = reach === undefined ? "" : `; ${reachText(reach)}`;
  if (apply.cause !== "drift")
    return normalEvent("AssetApplied", `Applied asset ${activeAssets(evaluated)}: ${name}${next}`);
  return [...driftEvents(name, apply), ...normalEvent("DriftCorrected", `Corrected drift for ${name}${next}`)];
}

/** Returns the affected nodes. Nodes reboot only if the spec changes, not because of a label or an owner. */
function reachOf({ before, live }: AppliedOutcome, topology: Topology): RolloutReach | undefined {
  const isOther = before === undefined || contentChanges(before, live).some(({ path }) => path[0] === "f:spec");
  return isOther ? rolloutReach(live, topology) : undefined;
}

function reachText({ pool, nodes }: RolloutReach): string {
  if (nodes === 0) return `pool ${pool} has no nodes, so no node reboots`;
  return nodes === 1 ? `1 node of pool ${pool} will reboot` : `${nodes} nodes of pool ${pool} will reboot`;
}

/** A pool and the number of its nodes that a write reboots. */
export type RolloutReach = { readonly pool: string; readonly nodes: number };

const group = "machineconfiguration.openshift.io";
const roleLabel = `${group}/role`;
const poolLabel = `pools.operator.${group}/`;

/**
 * Returns the affected pool and its node count, or undefined for other API groups and for custom pools. The count for
 * pool worker includes the nodes of custom pools, which inherit its config and have its role.
 */
export function rolloutReach(object: KubeObject, { workerCount, masterCount }: Topology): RolloutReach | undefined {
  const pool = poolOf(object);
  if (pool === "worker") return { pool, nodes: workerCount };
  return pool === "master" ? { pool, nodes: masterCount } : undefined;
}

function poolOf(object: KubeObject): string | undefined {
  if (!object.apiVersion.startsWith(`${group}/`)) return undefined;
  const role = asText(at(object, "metadata", "labels", roleLabel));
  if (role !== undefined) return role;
  const selector = member(readKubeletConfig(object).poolSelector, "matchLabels");
  const keys = isMap(selector) ? entriesOf(selector).map(([key]) => key) : [];
  return keys.find((key) => key.startsWith(poolLabel))?.slice(poolLabel.length);
}
