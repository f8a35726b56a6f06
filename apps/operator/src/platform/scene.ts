// What is true until an input changes: the world, the objects in it, and how each stands.

import type { KubeObject } from "@virt/api";
import {
  annotationOf,
  type Evaluated,
  evaluateObject,
  type ManagedObject,
  type Places,
  readExclusions,
  shapeOfObject,
  type World,
} from "@virt/platform";
import { chooseHco, contentOf } from "./hco.ts";
import { keyOf, managedObjects } from "./objects.ts";
import type { PlatformParts } from "./parts.ts";
import { buildWorld } from "./world.ts";

export type Scene = {
  readonly hco: KubeObject;
  /** Of what others are rendered from. */
  readonly content: string;
  readonly world: World;
  readonly objects: readonly ManagedObject[];
  readonly object: (key: string) => ManagedObject | undefined;
  readonly evaluate: (object: ManagedObject) => Evaluated;
  /** What this object alone is made from is another one. */
  readonly reconsider: (key: string) => void;
};

export function setScene(parts: PlatformParts): Scene | undefined {
  const hco = chooseHco(parts.find, parts.settings.hcoNamespace);
  if (hco.kind !== "found") return undefined;
  const { object } = hco;
  const exclusions = readExclusions(annotationOf(object.metadata.annotations ?? {}, "disabled-resources"));
  if (exclusions.kind === "rules") parts.standing.exclusions = exclusions.rules;
  const world = buildWorld(object, {
    ...parts,
    activation: parts.settings.activation,
    exclusions: parts.standing.exclusions,
  });
  const objects = managedObjects(parts.assets, placesIn(object, parts));
  const byKey = new Map(objects.map((one) => [keyOf(one.ref), one]));
  const evaluations = new Map<string, Evaluated>();
  return {
    hco: object,
    content: contentOf(object),
    world,
    objects,
    object: (key) => byKey.get(key),
    evaluate: (one) => {
      const key = keyOf(one.ref);
      const known = evaluations.get(key);
      if (known !== undefined) return known;
      const { lastKnown } = parts.standing;
      const made = evaluateObject(one, { world, shapeOf: shapeOfObject(one, world), lastKnown });
      for (const [asset, standing] of made.standings) if (standing.kind !== "held") lastKnown.set(asset, standing);
      evaluations.set(key, made);
      return made;
    },
    reconsider: (key) => void evaluations.delete(key),
  };
}

export function placesIn({ apiVersion, metadata }: KubeObject, { ownNamespace }: PlatformParts): Places {
  return { hcoNamespace: metadata.namespace ?? "", hcoApiVersion: apiVersion, ownNamespace };
}
