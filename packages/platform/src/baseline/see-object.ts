// Puts together what is known about one object before it is judged: the same for a pass and for a preview of one.

import type { JsonMap } from "@virt/api";
import type { ShapeOf } from "@virt/engine";
import type { Evaluated, ManagedObject } from "../evaluate/evaluate-object.ts";
import type { World } from "../evaluate/world.ts";
import type { HcoFact } from "../hco-fact.ts";
import { hcoPointers } from "../hco-pointers.ts";
import type { ObjectMemory, ObjectSeen } from "./object-seen.ts";
import { prunedParts } from "./pruned.ts";
import { builtInShape, defaultFrom, shapeFrom } from "./schema-shape.ts";

export type Sight = { readonly world: World; readonly now: number; readonly memory: ObjectMemory };

type Wanted = Extract<Evaluated["wanted"], { kind: "object" }>;

export function seeObject(object: ManagedObject, wanted: Wanted, { world, now, memory }: Sight): ObjectSeen {
  const { ref, assets } = object;
  const [first] = assets;
  return {
    now,
    ref,
    baseline: wanted.baseline,
    parts: wanted.parts,
    adoption: first?.adoption ?? "whole",
    mayCreate: first?.create !== false,
    shapeOf: shapeOfObject(object, world),
    defaultOf: defaultFrom(servedSchema(object, world)),
    live: world.live(ref),
    governed: wanted.governed,
    pruned: prunedParts(object, world).map(({ name }) => name),
    memory,
    ...(ref.kind === "HyperConverged" && { translate: (pointers) => hcoPointers(pointers, servedVersion(object)) }),
  };
}

/** How its parts are merged. */
export function shapeOfObject(object: ManagedObject, world: World): ShapeOf {
  const schema = servedSchema(object, world);
  return schema === undefined ? builtInShape(object.ref.kind) : shapeFrom(schema);
}

function servedSchema({ ref, assets }: ManagedObject, world: World): JsonMap | undefined {
  const crd = assets[0]?.target.crd;
  const version = ref.apiVersion.split("/").at(-1) ?? "";
  const fact = crd === undefined ? undefined : world.fact({ read: "schema", crd, version });
  return fact?.kind === "known" ? (fact.value as JsonMap | undefined) : undefined;
}

function servedVersion({ ref: { apiVersion } }: ManagedObject): HcoFact["apiVersion"] {
  return apiVersion === "hco.kubevirt.io/v1" ? apiVersion : "hco.kubevirt.io/v1beta1";
}
