// Reads the settings that an administrator chose from the HyperConverged.

import { autopilotAnnotation, fieldManagers, type KubeObject } from "@virt/api";
import { appliedBy, canonicalJson, fieldPath, leaveOut, leavesOf, oncePer, readOwners } from "@virt/objects";
import { type Activation, activationValue } from "./activation.ts";
import type { EvaluatedObject } from "./evaluate/evaluate-object.ts";
import { annotationPrefix, isAutopilotKey, objectAnnotations } from "./hco-annotations.ts";

/** Returns the spec and annotations that affect all objects. Excludes annotations about the HyperConverged itself. */
export const hcoContent = oncePer((hco: KubeObject): string => {
  const said = Object.entries(hco.metadata.annotations ?? {}).filter(([key]) => isSaidToAll(key));
  return canonicalJson({ spec: hco["spec"] ?? {}, annotations: Object.fromEntries(said) });
});

const saidToOne: ReadonlySet<string> = new Set(Object.values(objectAnnotations));

function isSaidToAll(key: string): boolean {
  if (!key.startsWith(annotationPrefix) || saidToOne.has(key)) return false;
  return !isAutopilotKey(key.slice(annotationPrefix.length));
}

/** Omits the operator's own fields, because an administrator did not set them. */
const ownFieldsLeftOut = oncePer((hco: KubeObject): string =>
  hcoContent(leaveOut(hco, leavesOf(appliedBy(readOwners(hco), fieldManagers.platform)))),
);

/**
 * Omits annotation `autopilot`, because another operator's console changes it. What it still activates is part of the
 * decisions as the activation.
 */
const withoutAutopilot = oncePer((hco: KubeObject): string => ownFieldsLeftOut(leaveOut(hco, [autopilotPath])));

const autopilotPath = fieldPath("metadata", "annotations", autopilotAnnotation);

const byPlan: ReadonlySet<string> = new Set(["GovernedByPlan", "ReleasedByPlan"]);

/** Returns the administrator's decisions that affect an object, from the HyperConverged and from plans. */
export function decisionsFor(
  hco: KubeObject,
  { statuses }: Pick<EvaluatedObject, "statuses">,
  activation: Activation,
): string {
  const planned = [...statuses].flatMap(([asset, status]) =>
    status.kind === "excluded" && byPlan.has(status.reason) ? [` ${asset} ${status.reason}`] : [],
  );
  return `${withoutAutopilot(hco)} ${activationValue(activation) ?? ""}${planned.join("")}`;
}
