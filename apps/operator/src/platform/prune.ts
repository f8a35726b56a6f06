// Deletes what a feature that was switched off had created, where people ask for that; nothing else is ever deleted.

import { fieldManagers, type KubeObject } from "@virt/api";
import type { Outcome } from "@virt/engine";
import type { Ending, Tools } from "@virt/kube";
import {
  type Asset,
  type Evaluated,
  judgePrune,
  type ManagedObject,
  makersOf,
  prunedParts,
  type World,
} from "@virt/platform";
import { endingAfter } from "./acting.ts";
import { letGo } from "./let-go.ts";
import { keyOf } from "./objects.ts";
import type { PlatformParts } from "./parts.ts";
import { normal, type Told } from "./tell.ts";
import { whyNot } from "./why-not.ts";

const manager = fieldManagers.platform;

export type Pruned = { readonly told: readonly Told[]; readonly ending: Ending };

export type Around = { readonly world: World; readonly parts: PlatformParts; readonly tools: Tools };

const nothing: Pruned = { told: [], ending: { kind: "done" } };

/** Asked until it is answered, and once for each time that features go off. */
export async function prune(object: ManagedObject, { wanted }: Evaluated, around: Around): Promise<Pruned> {
  const settled = around.parts.standing.pruned;
  const key = keyOf(object.ref);
  const pruned = wanted.kind === "excluded" ? prunedParts(object, around.world) : [];
  const asked = pruned.map(({ name }) => name).join(",");
  if (asked === "") settled.delete(key);
  if (asked === "" || settled.get(key) === asked) return nothing;
  const { outcome, told } = await pruneNow(object, pruned, around);
  if (outcome.kind !== "done" && outcome.kind !== "missing") return failed(outcome, object, around);
  settled.set(key, asked);
  return { told, ending: { kind: "done" } };
}

type Done = { readonly outcome: Outcome; readonly told: readonly Told[] };

async function pruneNow(object: ManagedObject, pruned: readonly Asset[], { tools }: Around): Promise<Done> {
  const { ref, assets } = object;
  const { cluster } = tools;
  const key = keyOf(ref);
  const reading = await cluster.read(ref);
  if (reading.kind === "absent") return { outcome: { kind: "done" }, told: [] };
  if (reading.kind !== "found") return { outcome: reading, told: [] };
  const live = reading.object;
  const removal = judgePrune(live, { assets: namesOf(assets), pruned: namesOf(pruned) });
  switch (removal.kind) {
    case "keep":
      return { outcome: { kind: "done" }, told: [] };
    case "release": // it was there before us
      return {
        outcome: await letGo(live, cluster),
        told: normal("FieldsReleased", `Released all fields of ${key}`),
      };
    case "delete": {
      const { uid, resourceVersion } = removal;
      const outcome = await cluster.remove(ref, { manager, force: false, expect: { uid, resourceVersion } });
      return { outcome, told: normal("AssetPruned", `Deleted ${key} because ${reasonOf(live, pruned)}`) };
    }
  }
}

/** Features that made it and are off, not all that might have. */
function reasonOf(live: KubeObject, pruned: readonly Asset[]): string {
  const makers = makersOf(live, { assets: namesOf(pruned) });
  const off = pruned.filter(({ name }) => makers.includes(name)).map(({ feature }) => feature);
  const features = [...new Set(off)];
  return features.length === 1
    ? `feature ${features.join()} is switched off`
    : `features ${features.join(", ")} are switched off`;
}

function namesOf(assets: readonly Asset[]): readonly string[] {
  return assets.map(({ name }) => name);
}

/** The object is watched no more: nothing else would bring us back to it. */
function failed(outcome: Outcome, { ref }: ManagedObject, { parts: { log, clock } }: Around): Pruned {
  const level = outcome.kind === "rejected" ? "warn" : "debug";
  log[level]("an object cannot be pruned", { object: keyOf(ref), why: whyNot(outcome, ref) });
  return { told: [], ending: endingAfter(outcome, clock) };
}
