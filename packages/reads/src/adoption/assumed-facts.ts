// A read of a cluster with assumed changes, so that the controller's own code predicts the result.

import { autopilotName, type KubeObject } from "@virt/api";
import { type LookupKey, objectKey, refOfObject } from "@virt/platform";
import type { PreviewFacts } from "../preview/read-cluster.ts";

/** Changes that a preview assumes. */
export type Assumptions = {
  /** Annotations of the HyperConverged, by complete key. */
  readonly annotations: Readonly<Record<string, string>>;
  /** Annotations of other objects, by object key. */
  readonly onObjects: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** Keys of objects that no longer exist. */
  readonly without: ReadonlySet<string>;
};

/** Assumes that the autopilot is not installed, because it is off then. */
export function assumeFacts({ hco, facts }: PreviewFacts, assumed: Assumptions): PreviewFacts {
  const change = (object: KubeObject) => {
    const added = assumed.onObjects.get(objectKey(refOfObject(object)));
    return added === undefined ? object : annotated(object, added);
  };
  const isKept = (object: KubeObject) =>
    !assumed.without.has(objectKey(refOfObject(object))) && !isTheirDeployment(refOfObject(object));
  const own = annotated(change(hco), assumed.annotations);
  const objects = facts.objects.filter(isKept).map((object) => (object.kind === hco.kind ? own : change(object)));
  const unreadReason = (sought: LookupKey) => (isTheirDeployment(sought) ? undefined : facts.unreadReason?.(sought));
  return { hco: own, facts: { ...facts, objects, unreadReason } };
}

function isTheirDeployment({ kind, name }: Pick<LookupKey, "kind" | "name">): boolean {
  return kind === "Deployment" && name === autopilotName;
}

function annotated(object: KubeObject, added: Readonly<Record<string, string>>): KubeObject {
  return { ...object, metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...added } } };
}
