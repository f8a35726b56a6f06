// The content of the HyperConverged that other objects are made from, and the administrator's decisions in it.

import { fieldManagers, type KubeObject } from "@virt/api";
import { appliedBy, canonicalJson, leaveOut, leavesOf, oncePer, readOwners } from "@virt/engine";
import type { EvaluatedObject } from "./evaluate/evaluate-object.ts";
import { annotationPrefix, objectAnnotations } from "./hco-annotations.ts";

/** Spec and annotations for all objects. Status, and annotations about the HyperConverged itself, are left out. */
export const hcoContent = oncePer((hco: KubeObject): string => {
  const said = Object.entries(hco.metadata.annotations ?? {}).filter(([key]) => isSaidToAll(key));
  return canonicalJson({ spec: hco["spec"] ?? {}, annotations: Object.fromEntries(said) });
});

const saidToOne: ReadonlySet<string> = new Set(Object.values(objectAnnotations));

function isSaidToAll(key: string): boolean {
  return key.startsWith(annotationPrefix) && !saidToOne.has(key);
}

/** The content without our own fields: a node's label must not look like a decision of an administrator. */
const ownFieldsLeftOut = oncePer((hco: KubeObject): string =>
  hcoContent(leaveOut(hco, leavesOf(appliedBy(readOwners(hco), fieldManagers.platform)))),
);

const byPlan: ReadonlySet<string> = new Set(["GovernedByPlan", "ReleasedByPlan"]);

/** The administrator's decisions that reach an object through the HyperConverged and approved plans. */
export function decisionsFor(hco: KubeObject, { statuses }: Pick<EvaluatedObject, "statuses">): string {
  const planned = [...statuses].flatMap(([asset, status]) =>
    status.kind === "excluded" && byPlan.has(status.reason) ? [` ${asset} ${status.reason}`] : [],
  );
  return `${ownFieldsLeftOut(hco)}${planned.join("")}`;
}
