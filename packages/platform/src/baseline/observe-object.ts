// What one reconcile knows about one managed object.

import type { Json, JsonMap, KubeObject, Ref } from "@virt/api";
import type { Bucket, Path, Pointer, ShapeOf } from "@virt/engine";
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

/** Puts together what a decision is made from; reads caches only. */
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
    pruned: prunedParts(object, facts).map(({ name }) => name),
    memory,
    ...(ref.kind === "HyperConverged" && { translate: (pointers) => hcoPointers(pointers, servedVersion(object)) }),
  };
}

/** How its parts are merged. */
export function shapeOfObject(object: ManagedObject, facts: ClusterFacts): ShapeOf {
  const schema = servedSchema(object, facts);
  return schema === undefined ? builtInShape(object.ref.kind) : shapeFrom(schema);
}

/** What the server fills in. */
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

/** The render of one active asset. */
export type Part = { readonly asset: string; readonly object: KubeObject };

/** All that a decision is made from. */
export type ObservedObject = {
  /** Wall time in milliseconds, for what is shown or stored on the object. */
  readonly now: number;
  /** What throttles and waits goes by this: the wall clock may be set. */
  readonly monotonicMs: number;
  readonly ref: Ref;
  /** The merged renders of the active assets, without anything of ours. */
  readonly baseline: KubeObject;
  readonly parts: readonly Part[];
  readonly adoption: "whole" | "fieldwise";
  /** False: only others create it. */
  readonly mayCreate: boolean;
  readonly shapeOf: ShapeOf;
  readonly defaultOf: (path: Path) => Json | undefined;
  /** Whether the served schema has the field, though the object may not. */
  readonly isDeclared: (pointer: Pointer) => boolean;
  readonly live: KubeObject | undefined;
  /** Fields that a plan is in charge of, where the object is yielded field by field. */
  readonly governed: readonly Path[];
  /** Assets that are switched off and whose fields go with them. */
  readonly pruned: readonly string[];
  readonly memory: ObjectMemory;
  /** Pointers of people in terms of the version that is served. */
  readonly translate?: (pointers: readonly Pointer[]) => readonly Pointer[];
};

/** What the process remembers of an object. All of it may be lost. */
export type ObjectMemory = {
  /** The server's last answer to an apply, or the live object that served as one. */
  readonly answer?: KubeObject;
  /** What was last sent, without our memory. */
  readonly sent?: KubeObject;
  readonly bucket: Bucket;
  /** A pause that could not be written yet: corrections stop all the same. */
  readonly unwrittenPause?: PauseRecord;
  /** It existed when it was last seen: if it is gone now, somebody deleted it. */
  readonly wasThere: boolean;
  /** When deletions by others were undone, in milliseconds. */
  readonly recreated?: readonly number[];
  readonly refused?: RejectedApply;
  /** Fields of the last intent that the server stored otherwise. */
  readonly mutation?: Mutation;
};

/** A patched intent that the server refuses, while it would take the one without the patch. */
export type RejectedApply = {
  readonly intent: KubeObject;
  /** Of the schema that it was refused by. */
  readonly shapeOf: ShapeOf;
  /** The server's. */
  readonly message: string;
  /** Monotonic milliseconds. */
  readonly askAgainAt: number;
};
