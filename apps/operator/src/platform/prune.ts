// Deletes what a feature that was switched off had created, where people ask for that; nothing else is ever deleted.

import { fieldManagers, type KubeObject } from "@virt/api";
import type { Tools } from "@virt/kube";
import {
  booleanOf,
  type Evaluated,
  judgePrune,
  judgeTombstone,
  type ManagedObject,
  type Tombstone,
  type World,
} from "@virt/platform";
import { letGo } from "./let-go.ts";
import { keyOf } from "./objects.ts";
import type { PlatformParts } from "./parts.ts";
import type { Told } from "./tell.ts";

const manager = fieldManagers.platform;

/** Undefined: nothing was due. Asked once for each time that a feature goes off. */
export async function prune(object: ManagedObject, evaluated: Evaluated, around: Around): Promise<Told | undefined> {
  const { parts, tools } = around;
  const key = keyOf(object.ref);
  if (!isDue(evaluated, around)) {
    parts.standing.pruned.delete(key);
    return undefined;
  }
  if (parts.standing.pruned.has(key)) return undefined;
  const reading = await tools.cluster.read(object.ref);
  if (reading.kind === "rejected" || reading.kind === "unavailable") return undefined; // the next event asks again
  parts.standing.pruned.add(key);
  if (reading.kind !== "found") return undefined;
  const removal = judgePrune(reading.object);
  if (removal.kind === "keep") return undefined;
  if (removal.kind === "release") return release(reading.object, key, around);
  const { uid, resourceVersion } = removal;
  const outcome = await tools.cluster.remove(object.ref, { manager, force: false, expect: { uid, resourceVersion } });
  if (outcome.kind !== "done") {
    parts.standing.pruned.delete(key);
    return undefined;
  }
  const feature = object.assets[0]?.feature ?? "";
  return { type: "Normal", reason: "AssetPruned", note: `Deleted ${key} because feature ${feature} is switched off` };
}

export type Around = { readonly world: World; readonly parts: PlatformParts; readonly tools: Tools };

/** Nothing is pruned because of idle, lists, exclusions, plans, missing CRDs, hardware or inputs. */
function isDue({ standings }: Evaluated, { world }: Around): boolean {
  const isAsked = booleanOf(world.hco?.annotations ?? {}, "prune") === true;
  const isOff = [...standings.values()].every((one) => one.kind === "excluded" && one.reason === "SwitchedOff");
  return isAsked && isOff && world.activation.isActive;
}

/** It was there before us: its values stay, our label and memory go. */
async function release(live: KubeObject, key: string, { tools }: Around): Promise<Told | undefined> {
  const outcome = await letGo(live, tools.cluster);
  return outcome.kind === "done"
    ? { type: "Normal", reason: "FieldsReleased", note: `Released all fields of ${key}` }
    : undefined;
}

/** Gone, kept for a reason, or to be tried again. */
export type Buried = { readonly state: 0 | -1 | -2; readonly told?: Told };

export async function bury(tombstone: Tombstone, { tools }: Pick<Around, "tools">): Promise<Buried> {
  const key = keyOf(tombstone);
  const warning = (reason: string, note: string): Told => ({ type: "Warning", reason, note });
  const reading = await tools.cluster.read(tombstone);
  if (reading.kind === "absent" || reading.kind === "missing") return { state: 0 };
  if (reading.kind !== "found")
    return {
      state: -1,
      told: warning("TombstoneFailed", `Failed to delete tombstoned resource ${key}: ${reading.message}`),
    };
  const removal = judgeTombstone(reading.object);
  if (removal.kind === "keep")
    return { state: -2, told: warning("TombstoneSkipped", `Skipped tombstone deletion for ${key}: ${removal.why}`) };
  const { uid, resourceVersion } = removal;
  const outcome = await tools.cluster.remove(tombstone, { manager, force: false, expect: { uid, resourceVersion } });
  if (outcome.kind === "done")
    return {
      state: 0,
      told: { type: "Normal", reason: "TombstoneDeleted", note: `Deleted tombstoned resource ${key}` },
    };
  const why = "message" in outcome ? outcome.message : outcome.kind;
  return { state: -1, told: warning("TombstoneFailed", `Failed to delete tombstoned resource ${key}: ${why}`) };
}
