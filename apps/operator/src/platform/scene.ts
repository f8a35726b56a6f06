// What is true until an input changes: the world, the objects in it, how each stands, and what has to be watched.

import type { KubeObject } from "@virt/api";
import type { WatchSpec } from "@virt/kube";
import {
  annotationOf,
  type Evaluated,
  evaluateObject,
  type ManagedObject,
  readExclusions,
  shapeOfObject,
  type World,
} from "@virt/platform";
import { configWatch } from "../advisor/watches.ts";
import { chooseHco, contentOf } from "./hco.ts";
import { isHco, keyOf, managedObjects } from "./objects.ts";
import type { PlatformParts } from "./parts.ts";
import {
  hcoWatchesFor,
  infrastructureWatch,
  managedWatch,
  nodeWatch,
  objectWatches,
  schedulerWatch,
} from "./watches.ts";
import { buildWorld } from "./world.ts";

export type Scene = {
  readonly hco: KubeObject;
  /** Of what others are rendered from. */
  readonly content: string;
  readonly world: World;
  readonly objects: readonly ManagedObject[];
  readonly keys: readonly string[];
  readonly object: (key: string) => ManagedObject | undefined;
  readonly evaluate: (object: ManagedObject) => Evaluated;
};

export type Stage = {
  /** Undefined: there is no HyperConverged, or nobody can say which. */
  readonly scene: () => Scene | undefined;
  readonly wanted: () => readonly WatchSpec[];
  /** The key of the object that a watch shows, if it shows one that we manage. */
  readonly keyOf: (spec: WatchSpec) => string | undefined;
  /** An input is another one. */
  readonly changed: () => void;
};

export function createStage(parts: PlatformParts): Stage {
  let isCurrent = false;
  let revision = -1;
  let scene: Scene | undefined;
  let wanted: readonly WatchSpec[] = [];
  const look = () => {
    if (isCurrent && revision === parts.remembered.revision()) return;
    isCurrent = true;
    revision = parts.remembered.revision();
    scene = setScene(parts);
    wanted = wantedIn(scene, parts);
  };
  return {
    scene: () => {
      look();
      return scene;
    },
    wanted: () => {
      look();
      return wanted;
    },
    // Asked for each of thousands of changes: the last scene knows all that is watched, and need not be made anew.
    keyOf: (spec) => {
      const { hcoNamespace } = parts.settings;
      const shown = scene?.objects.find(({ ref }) => isSameWatch(managedWatch(ref, hcoNamespace), spec));
      return shown && keyOf(shown.ref);
    },
    changed: () => {
      isCurrent = false;
    },
  };
}

function isSameWatch(left: WatchSpec, right: WatchSpec): boolean {
  return left.kind === right.kind && left.name === right.name && left.apiVersion === right.apiVersion;
}

function setScene(parts: PlatformParts): Scene | undefined {
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
    keys: [...byKey.keys()],
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
  };
}

function placesIn({ apiVersion, metadata }: KubeObject, { ownNamespace }: PlatformParts) {
  return { hcoNamespace: metadata.namespace ?? "", hcoApiVersion: apiVersion, ownNamespace };
}

/** Inputs while there is a HyperConverged that asks for it; targets and what their assets read while they may be applied. */
function wantedIn(scene: Scene | undefined, parts: PlatformParts): readonly WatchSpec[] {
  const [newest, older] = hcoWatchesFor(parts.settings.hcoNamespace);
  if (newest === undefined || older === undefined) return [];
  const hcos = parts.find(newest)?.state === "not served" ? [newest, older] : [newest];
  if (scene === undefined || !scene.world.activation.isActive) return hcos;
  const inputs = [...hcos, configWatch, nodeWatch, infrastructureWatch, schedulerWatch];
  const places = placesIn(scene.hco, parts);
  const targets = scene.objects.filter((object) => isHco(object.ref) || isOfUse(scene.evaluate(object)));
  return [...inputs, ...targets.flatMap((object) => objectWatches(object, places))];
}

const idle: ReadonlySet<string> = new Set([
  "HCOMissing",
  "NotActivated",
  "NotListed",
  "SwitchedOff",
  "ConditionNotMet",
  "RootExclusion",
  "CRDMissing",
]);

/** Some asset of it may be applied here, as far as that can be told: a start does not wait for its inputs one after the other. */
function isOfUse({ standings }: Evaluated): boolean {
  return [...standings.values()].some((standing) =>
    standing.kind === "excluded" ? !idle.has(standing.reason) : standing.kind === "active" || !standing.isExcluded,
  );
}
