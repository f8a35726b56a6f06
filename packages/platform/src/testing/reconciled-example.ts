// Reconciles one managed object over time against a small cluster and a test clock.

import { fieldManagers, type JsonMap, type KubeObject } from "@virt/api";
import { fullBucket, noSchema } from "@virt/objects";
import { isWriteDue } from "../baseline/compare.ts";
import { decideObject } from "../baseline/decide-object.ts";
import type { ObjectDecision } from "../baseline/decision.ts";
import type { ObjectMemory, ObservedObject } from "../baseline/observe-object.ts";
import { transferObject } from "../baseline/release.ts";
import { objectAnnotations, releasedManager } from "../hco-annotations.ts";
import { paths, type SmallCluster } from "./small-cluster.ts";

export const forgotten: ObjectMemory = { bucket: fullBucket, wasThere: false };

export const exampleObject = (spec: JsonMap, metadata: JsonMap = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: { name: "thing", ...metadata },
  spec,
});

export const withAnnotations = (said: Partial<Record<keyof typeof objectAnnotations, string>>): JsonMap => ({
  annotations: Object.fromEntries(
    Object.entries(said).map(([key, text]) => [objectAnnotations[key as keyof typeof objectAnnotations], text]),
  ),
});

export function observedOf(spec: JsonMap, seen: Partial<ObservedObject> = {}): ObservedObject {
  const baseline = exampleObject(spec);
  return {
    now: seen.now ?? 1_800_000_000_000,
    monotonicMs: seen.now ?? 1_800_000_000_000,
    ref: { apiVersion: "v1", kind: "Thing", name: "thing" },
    baseline,
    parts: [{ asset: "asset", object: baseline }],
    adoption: "whole",
    mayCreate: true,
    shapeOf: noSchema,
    defaultOf: () => undefined,
    isDeclared: () => false,
    live: undefined,
    governed: [],
    pruned: [],
    memory: forgotten,
    ...seen,
  };
}

export type ReconciledExample = {
  readonly memory: ObjectMemory;
  readonly decision: ObjectDecision["kind"];
  readonly inMs?: number;
  readonly isWritten: boolean;
};

export function reconcileExample(cluster: SmallCluster, observed: ObservedObject): ReconciledExample {
  const { live } = cluster;
  const decision = decideObject({ ...observed, live });
  const { memory, now } = observed;
  if (decision.kind === "pause") {
    const marked = { paused: "true", state: decision.state } as const;
    const edits = Object.entries(withAnnotations(marked)["annotations"] as Record<string, string>);
    cluster.update(
      fieldManagers.platform,
      edits.map(([key, text]) => [[...(paths("metadata/annotations")[0] ?? []), `f:${key}`], text] as const),
      now,
    );
    return { memory, decision: decision.kind, isWritten: true };
  }
  if (decision.kind === "in-sync")
    return {
      memory: { ...memory, answer: memory.answer ?? live, sent: decision.intent },
      decision: decision.kind,
      isWritten: false,
    };
  if (decision.kind !== "apply")
    return { memory, decision: decision.kind, isWritten: false, ...("inMs" in decision && { inMs: decision.inMs }) };
  const { object, intent, handOver, cause } = decision.apply;
  const isCertain = handOver.length > 0 || cause === "drift"; // otherwise a dry run decides
  const predicted = isCertain ? undefined : cluster.predict(fieldManagers.platform, object, now);
  if (predicted !== undefined && !isWriteDue(live, predicted))
    return { memory: { ...memory, answer: predicted, sent: intent }, decision: decision.kind, isWritten: false };
  if (handOver.length > 0) cluster.apply(releasedManager, transferObject(live, handOver), now);
  const answer = cluster.apply(fieldManagers.platform, object, now);
  return {
    memory: { ...memory, bucket: decision.bucket, answer, sent: intent },
    decision: decision.kind,
    isWritten: true,
  };
}
