// Which streams are wanted, and which objects each of them is about.

import { crdWatch, type WatchSpec } from "@virt/kube";
import type { Evaluated } from "@virt/platform";
import { configWatch } from "../advisor/watches.ts";
import { isHco, keyOf } from "./objects.ts";
import type { PlatformParts } from "./parts.ts";
import { placesIn, type Scene } from "./scene.ts";
import {
  hcoWatchesFor,
  infrastructureWatch,
  nodeWatch,
  objectStreams,
  type Streams,
  schedulerWatch,
} from "./watches.ts";

/** All objects are made from it, or: it shows one of them, and others are made from it. */
export type Concern =
  | { readonly kind: "all" }
  | { readonly kind: "some"; readonly shown: readonly string[]; readonly readers: readonly string[] };

export type Wanted = { readonly specs: readonly WatchSpec[]; readonly concern: (spec: WatchSpec) => Concern };

/** Inputs while there is a HyperConverged that asks for it; targets and what their assets read while they may be applied. */
export function wantedIn(scene: Scene | undefined, parts: PlatformParts): Wanted {
  const [newest, older] = hcoWatchesFor(parts.settings.hcoNamespace);
  if (newest === undefined || older === undefined) return { specs: [], concern: () => nobody };
  const hcos = parts.find(newest)?.state === "not served" ? [newest, older] : [newest];
  if (scene === undefined || !scene.world.activation.isActive) return { specs: hcos, concern: concerns(hcos, []) };
  const inputs = [...hcos, configWatch, nodeWatch, infrastructureWatch, schedulerWatch];
  const places = placesIn(scene.hco, parts);
  const objects = scene.objects
    .filter((object) => isHco(object.ref) || isOfUse(scene.evaluate(object)))
    .map((object) => ({ key: keyOf(object.ref), ...objectStreams(object, places) }));
  const specs = objects.flatMap(({ shows, reads }) => [...shows, ...reads]);
  return { specs: [...inputs, ...specs], concern: concerns(inputs, objects) };
}

type Keyed = Streams & { readonly key: string };

const nobody: Concern = { kind: "some", shown: [], readers: [] };

/** Asked for each of thousands of changes, those of the other controller's streams among them. */
function concerns(inputs: readonly WatchSpec[], objects: readonly Keyed[]): (spec: WatchSpec) => Concern {
  const all = new Set([crdWatch, ...inputs].map(subjectOf));
  const shown = keysBySubject(objects, ({ shows }) => shows);
  const readers = keysBySubject(objects, ({ reads }) => reads);
  return (spec) => {
    const subject = subjectOf(spec);
    if (all.has(subject)) return { kind: "all" };
    return { kind: "some", shown: shown.get(subject) ?? [], readers: readers.get(subject) ?? [] };
  };
}

function keysBySubject(objects: readonly Keyed[], specsOf: (one: Keyed) => readonly WatchSpec[]) {
  const keys = new Map<string, string[]>();
  for (const one of objects) {
    for (const subject of new Set(specsOf(one).map(subjectOf))) {
      const known = keys.get(subject);
      if (known === undefined) keys.set(subject, [one.key]);
      else known.push(one.key);
    }
  }
  return keys;
}

/** What a stream is about, whatever of it is kept. */
function subjectOf({ apiVersion, kind, namespace = "", name = "" }: WatchSpec): string {
  return `${apiVersion} ${kind} ${namespace} ${name}`;
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
