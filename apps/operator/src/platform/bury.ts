// Deletes what earlier releases applied and nobody wants any more; what cannot be deleted yet is tried again.

import { fieldManagers, type Ref } from "@virt/api";
import type { Ending, Tools } from "@virt/kube";
import { isBarred, judgeTombstone, type Tombstone } from "@virt/platform";
import { keyOf } from "./objects.ts";
import type { PlatformParts } from "./parts.ts";
import { announce } from "./report.ts";
import type { Scene } from "./scene.ts";
import { normal, type Told, warning } from "./tell.ts";
import { whyNot } from "./why-not.ts";

const manager = fieldManagers.platform;
const firstMs = 1_000;
const longestMs = 600_000;

/** What became of a tombstone, and how often in a row. */
export type Burial = Buried & { readonly times: number };

/** 0 gone, -1 error, -2 kept for a reason. */
type Buried = { readonly state: 0 | -1 | -2; readonly told: readonly Told[] };

export type Burying = {
  readonly scene: Scene | undefined;
  readonly parts: PlatformParts;
  readonly tools: Tools;
};

/** Under a key of its own, which is none of the object's. */
function tombstoneKey(ref: Ref): string {
  return `tombstone ${keyOf(ref)}`;
}

export function isTombstoneKey(key: string): boolean {
  return key.startsWith("tombstone ");
}

export function isGone(tombstone: Tombstone, { standing }: Pick<PlatformParts, "standing">): boolean {
  return standing.buried.get(tombstoneKey(tombstone))?.state === 0;
}

/** Those of which nothing is known: the others are done with, or come back by themselves. */
export function dueTombstones({ tombstones, standing }: PlatformParts): readonly string[] {
  return tombstones.map(tombstoneKey).filter((key) => !standing.buried.has(key));
}

export async function buryOne(key: string, { scene, parts, tools }: Burying): Promise<Ending> {
  const { standing, metrics, clock } = parts;
  const tombstone = parts.tombstones.find((one) => tombstoneKey(one) === key);
  if (tombstone === undefined || isGone(tombstone, parts)) return { kind: "done" };
  const before = standing.buried.get(key);
  if (scene === undefined || !scene.world.activation.isActive || isBarred(tombstone, scene.world)) {
    standing.buried.delete(key); // looked at again when all objects are
    metrics.buried(tombstone, undefined);
    return { kind: "done" };
  }
  const buried = await bury(tombstone, tools);
  if (buried === "moved") return { kind: "failed" };
  const times = buried.state === before?.state ? before.times + 1 : 0;
  standing.buried.set(key, { ...buried, times });
  metrics.buried(tombstone, buried.state);
  for (const one of buried.told)
    if (before?.told.every(({ note }) => note !== one.note) !== false)
      announce(one, { key: keyOf(tombstone), hco: scene.hco, ref: tombstone, parts });
  return buried.state === 0
    ? { kind: "done" }
    : { kind: "again", atMs: clock.wall() + restMs({ state: buried.state, times }) };
}

/** Who keeps it for a reason is a person, and takes their time. */
export function restMs({ state, times }: Pick<Burial, "state" | "times">): number {
  return state === -2 ? longestMs : Math.min(longestMs, firstMs * 2 ** times);
}

/** `moved`: somebody was faster, and it has to be looked at again. */
async function bury(tombstone: Tombstone, { cluster }: Pick<Tools, "cluster">): Promise<Buried | "moved"> {
  const key = keyOf(tombstone);
  const failed = (why: string): Buried => ({
    state: -1,
    told: warning("TombstoneFailed", `Failed to delete tombstoned resource ${key}: ${why}`),
  });
  const reading = await cluster.read(tombstone);
  if (reading.kind === "absent" || reading.kind === "missing") return { state: 0, told: [] };
  if (reading.kind !== "found") return failed(reading.message);
  const removal = judgeTombstone(reading.object);
  if (removal.kind === "keep")
    return {
      state: -2,
      told: warning("TombstoneSkipped", `Skipped tombstone deletion for ${key}: ${removal.why}`),
    };
  const { uid, resourceVersion } = removal;
  const outcome = await cluster.remove(tombstone, { manager, force: false, expect: { uid, resourceVersion } });
  if (outcome.kind === "stale") return "moved";
  if (outcome.kind === "done" || outcome.kind === "missing")
    return { state: 0, told: normal("TombstoneDeleted", `Deleted tombstoned resource ${key}`) };
  return failed(whyNot(outcome, tombstone));
}
