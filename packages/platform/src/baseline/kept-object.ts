// One managed object over time, for tests: judged as the operator does it, against a small cluster and a clock of the test.

import type { JsonMap, KubeObject } from "@virt/api";
import { fieldManagers } from "@virt/api";
import { fullBucket, noSchema } from "@virt/engine";
import { isWriteDue } from "./compare.ts";
import { judge } from "./judge.ts";
import { objectAnnotations, releasedManager } from "./names.ts";
import type { ObjectMemory, ObjectSeen } from "./object-seen.ts";
import { handOverObject } from "./release.ts";
import { paths, type SmallCluster } from "./small-cluster.ts";
import type { Verdict } from "./verdict.ts";

export const forgotten: ObjectMemory = { bucket: fullBucket, wasThere: false };

export const thing = (spec: JsonMap, metadata: JsonMap = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: { name: "thing", ...metadata },
  spec,
});

export const annotated = (said: Partial<Record<keyof typeof objectAnnotations, string>>): JsonMap => ({
  annotations: Object.fromEntries(
    Object.entries(said).map(([key, text]) => [objectAnnotations[key as keyof typeof objectAnnotations], text]),
  ),
});

export function seenOf(spec: JsonMap, seen: Partial<ObjectSeen> = {}): ObjectSeen {
  const baseline = thing(spec);
  return {
    now: 1_800_000_000_000,
    ref: { apiVersion: "v1", kind: "Thing", name: "thing" },
    baseline,
    parts: [{ asset: "asset", object: baseline }],
    adoption: "whole",
    mayCreate: true,
    shapeOf: noSchema,
    defaultOf: () => undefined,
    live: undefined,
    governed: [],
    pruned: [],
    memory: forgotten,
    ...seen,
  };
}

export type Kept = {
  readonly memory: ObjectMemory;
  readonly verdict: Verdict["kind"];
  readonly inMs?: number;
  /** Whether anything was written. */
  readonly isWritten: boolean;
};

/** One pass of the shell, without its failures. */
export function keep(cluster: SmallCluster, seen: ObjectSeen): Kept {
  const { live } = cluster;
  const verdict = judge({ ...seen, live });
  const { memory, now } = seen;
  if (verdict.kind === "pause") {
    const marked = { paused: "true", state: verdict.state } as const;
    const edits = Object.entries(annotated(marked)["annotations"] as Record<string, string>);
    cluster.update(
      fieldManagers.platform,
      edits.map(([key, text]) => [[...(paths("metadata/annotations")[0] ?? []), `f:${key}`], text] as const),
      now,
    );
    return { memory, verdict: verdict.kind, isWritten: true };
  }
  if (verdict.kind === "in-sync")
    return {
      memory: { ...memory, answer: memory.answer ?? live, sent: verdict.intent },
      verdict: verdict.kind,
      isWritten: false,
    };
  if (verdict.kind !== "apply")
    return { memory, verdict: verdict.kind, isWritten: false, ...("inMs" in verdict && { inMs: verdict.inMs }) };
  const { object, intent, handOver, cause } = verdict.apply;
  const isCertain = handOver.length > 0 || cause === "drift"; // else it has to be asked
  const predicted = isCertain ? undefined : cluster.predict(fieldManagers.platform, object, now);
  if (predicted !== undefined && !isWriteDue(live, predicted))
    return { memory: { ...memory, answer: predicted, sent: intent }, verdict: verdict.kind, isWritten: false };
  if (handOver.length > 0) cluster.apply(releasedManager, handOverObject(live, handOver), now);
  const answer = cluster.apply(fieldManagers.platform, object, now);
  return {
    memory: { ...memory, bucket: verdict.bucket, answer, sent: intent },
    verdict: verdict.kind,
    isWritten: true,
  };
}
