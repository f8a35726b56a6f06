// Builds events that last as long as their cause. Each is recorded once, at its start.

import { autopilotName, type EventMessage, fieldManagers, type KubeObject, type Ref } from "@virt/api";
import {
  appliedBy,
  describeOpponent,
  findMutator,
  isNoFields,
  leavesOf,
  readOwners,
  shortList,
  showValue,
  writePath,
} from "@virt/objects";
import type { Asset } from "../asset.ts";
import type { ApplyDecision, ObjectDecision } from "../baseline/decision.ts";
import { describeMutation } from "../baseline/mutation.ts";
import { readOverrides } from "../baseline/overrides.ts";
import { readState } from "../baseline/state.ts";
import type { AssetStatus } from "../evaluate/asset-status.ts";
import type { EvaluatedObject, ManagedObject } from "../evaluate/evaluate-object.ts";
import { objectName, removeAnnotationCommand } from "../evaluate/managed-objects.ts";
import { objectAnnotations } from "../hco-annotations.ts";
import { isHeldByInputLimit } from "../reboot/input-limit.ts";
import type { ReconciledObject, ReconcileOutcome } from "./reconcile-outcome.ts";

const adopt = `Set annotation '${objectAnnotations.adopt}=true' on the object to let the operator take them over.`;
const leftAsItIs = "The object is left unchanged: drift is reported but not corrected.";

/** Returns a list with one event of type Normal, so that callers can spread it. */
export const normalEvent = (reason: string, note: string): readonly EventMessage[] => [
  { type: "Normal", reason, note },
];
/** Returns a list with one event of type Warning, so that callers can spread it. */
export const warningEvent = (reason: string, note: string): readonly EventMessage[] => [
  { type: "Warning", reason, note },
];

/** Returns the current events after a reconcile. Earlier events that are missing here have ended. */
export function eventsForStatus(
  { ref, assets }: ManagedObject,
  { outcome, evaluated }: ReconciledObject,
  live?: KubeObject,
): readonly EventMessage[] {
  const name = objectName(ref);
  const governed = [...evaluated.statuses.values()].flatMap((status) =>
    status.kind === "excluded" && status.reason === "GovernedByPlan"
      ? normalEvent(
          "GovernedByPlan",
          `${name} is managed by ${status.details}; the platform controller does not manage it`,
        )
      : [],
  );
  const released = [...evaluated.statuses.values()].flatMap((status) =>
    status.kind === "excluded" && status.reason === "ReleasedByPlan"
      ? normalEvent("ReleasedByPlan", `${name} is left unchanged: ${status.details}`)
      : [],
  );
  const failures = [...evaluated.statuses].flatMap(([asset, status]) => eventsForAsset(asset, status));
  const rivals = assets.flatMap((asset) => rivalEvents(name, asset, evaluated.statuses.get(asset.name)));
  return [
    ...governed.slice(0, 1),
    ...autopilotEvents(name, evaluated, live),
    ...released,
    ...failures,
    ...rivals,
    ...mistakeEvents(ref, live),
    ...outcomeEvents(ref, outcome, evaluated),
  ];
}

/** Reports that the autopilot manages an object, or that it took over one that the operator applied before. */
function autopilotEvents(name: string, { statuses }: EvaluatedObject, live?: KubeObject): readonly EventMessage[] {
  const left = [...statuses].flatMap(([asset, status]) =>
    status.kind === "excluded" && status.reason === "ManagedByAutopilot" ? [asset] : [],
  );
  if (left.length === 0) return [];
  const taken = live === undefined ? [] : takenFields(live);
  if (taken.length === 0)
    return normalEvent(
      "ManagedByAutopilot",
      `${name} is managed by ${autopilotName}; asset ${left.join(",")} is not applied`,
    );
  return warningEvent(
    "AutopilotTookOver",
    `${autopilotName} took over ${name} (${shortList(taken)}). virt-platform-operator no longer manages it.`,
  );
}

/** Returns the fields that the autopilot owns on an object that the operator applied. Empty if it never did. */
function takenFields(live: KubeObject): readonly string[] {
  const owners = readOwners(live);
  if (isNoFields(appliedBy(owners, fieldManagers.platform))) return [];
  const theirs = owners.filter(({ manager }) => manager === autopilotName).flatMap(({ fields }) => leavesOf(fields));
  const applied = new Set(Object.values(readState(live).fields).flat());
  const taken = [...new Set(theirs.map(writePath))];
  const ours = taken.filter((path) => applied.has(path));
  return ours.length > 0 ? ours : taken;
}

function eventsForAsset(asset: string, status: AssetStatus): readonly EventMessage[] {
  if (status.kind === "active") return (status.warnings ?? []).flatMap((each) => warningEvent("ValueLimited", each));
  if (status.kind !== "excluded") return [];
  if (status.reason === "RenderError")
    return warningEvent("RenderFailed", `Failed to render asset ${asset}: ${status.details}`);
  if (status.reason === "AlreadyProvided")
    return normalEvent("AlreadyProvided", `Asset ${asset} is not applied: ${status.details} already provides it`);
  return [];
}

function rivalEvents(
  name: string,
  { purpose, feature }: Asset,
  status: AssetStatus | undefined,
): readonly EventMessage[] {
  if (status?.kind !== "active" || status.rival === undefined) return [];
  return warningEvent(
    "PurposeConflict",
    `${name} and ${status.rival} serve the same purpose: ${purpose ?? feature.name}`,
  );
}

function mistakeEvents(ref: Ref, live: KubeObject | undefined): readonly EventMessage[] {
  return readOverrides(live).mistakes.flatMap(({ reason, key, message }) => {
    const what = reason === "UnknownAnnotation" ? "Unknown" : "Invalid";
    const result = message.endsWith("?") ? "" : ".";
    const next = `Next: correct it, or ${removeAnnotationCommand(ref, key)}`;
    return warningEvent(
      reason,
      `${what} annotation ${key} on ${objectName(ref)}: ${message}${result} ${leftAsItIs} ${next}`,
    );
  });
}

function outcomeEvents(ref: Ref, outcome: ReconcileOutcome, evaluated: EvaluatedObject): readonly EventMessage[] {
  const name = objectName(ref);
  switch (outcome.kind) {
    case "excluded":
      return [];
    case "applied":
      return [...mutationEvents(name, outcome.mutated), ...contestedEvents(name, outcome.apply.contested)];
    case "paused-now": {
      const { field, by, count } = outcome.decision.paused;
      return warningEvent(
        "ThrashingDetected",
        `Edit war detected for ${name}: ${field} was changed ${count} times by ${by}. Reconciliation paused. The value of the other writer is kept. Next: decide which writer owns the field, then resume with ${removeAnnotationCommand(ref, objectAnnotations.paused)}, or set ${objectAnnotations.mode}=unmanaged to stop managing the object.`,
      );
    }
    case "failed":
      return outcome.isPermanent
        ? warningEvent("ApplyFailed", `Failed to apply asset ${activeAssets(evaluated)} to ${name}: ${outcome.message}`)
        : [];
    case "decided":
      return decisionEvents(ref, outcome.decision);
  }
}

export function activeAssets({ statuses }: EvaluatedObject): string {
  return [...statuses].flatMap(([asset, { kind }]) => (kind === "active" ? [asset] : [])).join(",");
}

function decisionEvents(ref: Ref, decision: ObjectDecision): readonly EventMessage[] {
  const name = objectName(ref);
  switch (decision.kind) {
    case "unmanaged":
      return normalEvent(
        "UnmanagedMode",
        `${name} is unmanaged (annotation ${objectAnnotations.mode}): the operator does not write to it. To manage it again, run ${removeAnnotationCommand(ref, objectAnnotations.mode)}`,
      );
    case "held":
      return heldEvents(name, decision);
    case "mutated":
      return [...mutationEvents(name, decision.changes), ...contestedEvents(name, decision.contested)];
    case "contested":
    case "in-sync":
      return contestedEvents(name, decision.contested);
    case "deletion-fight":
      return warningEvent(
        "ThrashingDetected",
        `Edit war detected for ${name}: it was deleted ${decision.count} times within an hour and will not be re-created for now. Next: to keep it deleted, exclude it with annotation platform.kubevirt.io/disabled-resources on the HyperConverged.`,
      );
    case "managed-by-other":
    case "paused":
    case "not-there":
    case "apply":
    case "wait":
    case "pause":
      return [];
  }
}

function heldEvents(name: string, decision: Extract<ObjectDecision, { kind: "held" }>): readonly EventMessage[] {
  const { reason, message, changes = [], opponents = [] } = decision;
  const limited = isHeldByInputLimit(decision) ? warningEvent("RebootHeld", `${name} is on hold: ${message}`) : [];
  return [...limited, ...invalidOverrideEvents(name, reason, message), ...driftEvents(name, { changes, opponents })];
}

/** Returns the events of an invalid patch or ignore-fields annotation. Others are reported separately. */
function invalidOverrideEvents(name: string, reason: string, message: string): readonly EventMessage[] {
  const result = /[.?!]$/.test(message) ? "" : ".";
  if (reason === "InvalidPatch")
    return warningEvent(reason, `Invalid JSON patch for ${name}: ${message}${result} ${leftAsItIs}`);
  if (reason === "InvalidIgnoreFields")
    return warningEvent(reason, `Invalid ignore-fields annotation for ${name}: ${message}${result} ${leftAsItIs}`);
  return [];
}

export function driftEvents(
  name: string,
  { changes, opponents }: Pick<ApplyDecision, "changes" | "opponents">,
): readonly EventMessage[] {
  if (changes.length === 0) return [];
  const paths = changes
    .map(({ path, desired, live }) => `${writePath(path)} (${showValue(desired)} → ${showValue(live)})`)
    .join(", ");
  const by = opponents.join(", ") || describeOpponent("unknown");
  return warningEvent("DriftDetected", `Drift detected for ${name}: ${paths} changed by ${by}`);
}

function mutationEvents(name: string, changes: ApplyDecision["changes"]): readonly EventMessage[] {
  if (changes.length === 0) return [];
  return warningEvent(
    "MutatedByAdmission",
    `The stored ${name} differs from the applied one: ${describeMutation(changes)}. A mutating webhook or admission policy modifies it. The operator retries when a webhook or policy changes. Next: ${findMutator}`,
  );
}

function contestedEvents(
  name: string,
  contested: Extract<ObjectDecision, { kind: "contested" }>["contested"],
): readonly EventMessage[] {
  if (contested.length === 0) return [];
  const fields = contested.map(({ path, managers }) => `${writePath(path)} (${managers.join(", ")})`).join(", ");
  return warningEvent(
    "Contested",
    `Fields of ${name} are set by other clients and are not changed: ${fields}. ${adopt}`,
  );
}
