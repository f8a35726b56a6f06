// Collects the inputs of a decision about one managed object.

import type { Json, JsonMap, KubeObject, Ref } from "@virt/api";
import type { Bucket, Path, Pointer, ShapeOf } from "@virt/objects";
import type { ClusterFacts } from "../evaluate/cluster-facts.ts";
import type { EvaluatedObject, ManagedObject } from "../evaluate/evaluate-object.ts";
import { type AssetHcoFact, hcoPointers } from "../hco-fact.ts";
import type { Mutation } from "./mutation.ts";
import { prunedParts } from "./removal.ts";
import { builtInShape, declaredIn, defaultFrom, shapeFrom } from "./schema.ts";
import type { PauseRecord } from "./state.ts";

export type ObservationInput = Pick<ObservedObject, "now" | "monotonicMs" | "memory"> & {
  readonly facts: ClusterFacts;
};

type Wanted = Extract<EvaluatedObject["wanted"], { kind: "object" }>;

/** Builds the observation of an object. Reads only caches. */
export function observeObject(
  object: ManagedObject,
  wanted: Wanted,
  { facts, now, monotonicMs, memory }: ObservationInput,
): ObservedObject {
  const { ref, assets } = object;
  const [first] = assets;
  return {
    now,
    monotonicMs,
    ref,
    baseline: wanted.baseline,
    parts: wanted.parts,
    adoption: first?.adoption ?? "whole",
    mayCreate: first?.create !== false,
    shapeOf: shapeOfObject(object, facts),
    defaultOf: defaultOfObject(object, facts),
    isDeclared: declaredIn(servedSchema(object, facts)),
    live: facts.live(ref),
    governed: wanted.governed,
    isAutopilotActive: facts.autopilot.state === "Active",
    pruned: prunedParts(object, facts).map(({ name }) => name),
    memory,
    ...(ref.kind === "HyperConverged" && { translate: (pointers) => hcoPointers(pointers, servedVersion(object)) }),
  };
}

/** Returns the merge rules of an object's lists and maps. */
export function shapeOfObject(object: ManagedObject, facts: ClusterFacts): ShapeOf {
  const schema = servedSchema(object, facts);
  return schema === undefined ? builtInShape(object.ref.kind) : shapeFrom(schema);
}

/** Returns the defaults of the object's fields in its CRD, or undefined for fields without a default. */
export function defaultOfObject(object: ManagedObject, facts: ClusterFacts): ObservedObject["defaultOf"] {
  return defaultFrom(servedSchema(object, facts));
}

function servedSchema({ ref, assets }: ManagedObject, facts: ClusterFacts): JsonMap | undefined {
  const crd = assets[0]?.target.crd;
  const version = ref.apiVersion.split("/").at(-1) ?? "";
  const fact = crd === undefined ? undefined : facts.fact({ read: "schema", crd, version });
  return fact?.kind === "known" ? (fact.value as JsonMap | undefined) : undefined;
}

function servedVersion({ ref: { apiVersion } }: ManagedObject): AssetHcoFact["apiVersion"] {
  return apiVersion === "hco.kubevirt.io/v1" ? apiVersion : "hco.kubevirt.io/v1beta1";
}

export type Part = { readonly asset: string; readonly object: KubeObject };

/** Everything that the decision about an object depends on. */
export type ObservedObject = {
  /** Wall clock in milliseconds, for displayed and stored times. */
  readonly now: number;
  /** Monotonic milliseconds, for throttling and delays, because the wall clock may jump. */
  readonly monotonicMs: number;
  readonly ref: Ref;
  /** The merged objects of the active assets, without the operator's label and state. */
  readonly baseline: KubeObject;
  readonly parts: readonly Part[];
  readonly adoption: "whole" | "fieldwise";
  /** False if the operator must not create the object. */
  readonly mayCreate: boolean;
  readonly shapeOf: ShapeOf;
  readonly defaultOf: (path: Path) => Json | undefined;
  /** Reports whether the served schema declares the field, even if the object does not have it. */
  readonly isDeclared: (pointer: Pointer) => boolean;
  readonly live: KubeObject | undefined;
  readonly governed: readonly Path[];
  /** True if virt-platform-autopilot may write at any time. Absent: it does not run. */
  readonly isAutopilotActive?: boolean;
  /** Assets that are switched off and whose fields are pruned. */
  readonly pruned: readonly string[];
  readonly memory: ObjectMemory;
  readonly translate?: (pointers: readonly Pointer[]) => readonly Pointer[];
};

/** The in-memory state of an object. It may be lost. */
export type ObjectMemory = {
  /** The server's last response to an apply. Before the first one, the live object. */
  readonly answer?: KubeObject;
  /** The last intent that was sent, without the state annotation. */
  readonly sent?: KubeObject;
  readonly bucket: Bucket;
  /** A pause that has not been written yet. Corrections have already stopped. */
  readonly unwrittenPause?: PauseRecord;
  /** True if the object existed when it was last read. If it is absent now, another client deleted it. */
  readonly wasThere: boolean;
  /** Times of re-creations after deletions by other clients, in milliseconds. */
  readonly recreated?: readonly number[];
  readonly refused?: RejectedApply;
  readonly mutation?: Mutation;
};

/** A patched intent that the server rejects, although it accepts the intent without the patch. */
export type RejectedApply = {
  readonly intent: KubeObject;
  readonly shapeOf: ShapeOf;
  readonly message: string;
  /** Monotonic milliseconds. */
  readonly askAgainAt: number;
};
