// One pass over one managed object: evaluate, judge, and at most two requests.

import type { KubeObject } from "@virt/api";
import { fullBucket } from "@virt/engine";
import type { Ending, Tools } from "@virt/kube";
import {
  type Evaluated,
  judge,
  type ManagedObject,
  noteThere,
  type ObjectMemory,
  seeObject,
  type Verdict,
} from "@virt/platform";
import type { Acted, Acting, Kept } from "./acting.ts";
import { applyNow } from "./apply-object.ts";
import { keyOf } from "./objects.ts";
import type { PlatformParts } from "./parts.ts";
import { pauseNow } from "./pause.ts";
import type { Scene } from "./scene.ts";
import { managedWatch } from "./watches.ts";

export type Pass = { readonly kept: Kept; readonly evaluated: Evaluated; readonly ending: Ending };

export async function keepObject(
  object: ManagedObject,
  scene: Scene,
  parts: PlatformParts,
  tools: Tools,
): Promise<Pass> {
  const key = keyOf(object.ref);
  const evaluated = scene.evaluate(object);
  const { wanted } = evaluated;
  const done = { kind: "done" } as const;
  if (wanted.kind === "excluded") {
    parts.memory.delete(key);
    return { kept: { kind: "excluded" }, evaluated, ending: done };
  }
  if (wanted.kind === "held") {
    const verdict: Verdict = { kind: "held", reason: wanted.reason, message: wanted.message };
    return { kept: { kind: "verdict", verdict }, evaluated, ending: done };
  }
  // Absence means nothing before the first list: its end wakes this object.
  const watch = parts.find(managedWatch(object.ref, parts.settings.hcoNamespace));
  if (watch?.state !== "synced") {
    const verdict: Verdict = { kind: "held", reason: "InputUnavailable", message: watch?.trouble ?? "not listed yet" };
    return { kept: { kind: "verdict", verdict }, evaluated, ending: done };
  }
  const live = scene.world.live(object.ref);
  const memory = remember(key, live, parts);
  const seen = seeObject(object, wanted, { world: scene.world, now: parts.clock.wall(), memory });
  const { kept, ending } = await act(judge(seen), { object, seen, live, memory, parts, tools, key });
  return { kept, evaluated, ending };
}

function remember(key: string, live: KubeObject | undefined, { memory }: PlatformParts): ObjectMemory {
  const before = memory.get(key) ?? { bucket: fullBucket, wasThere: false };
  const now = live === undefined ? before : noteThere(before, live);
  memory.set(key, now);
  return now;
}

async function act(verdict: Verdict, acting: Acting): Promise<Acted> {
  const { memory, parts, key, live } = acting;
  switch (verdict.kind) {
    case "apply":
      return applyNow(verdict, acting);
    case "pause":
      return pauseNow(verdict, acting);
    case "in-sync":
      if (live !== undefined)
        parts.memory.set(key, { ...memory, answer: answerOf(memory, live), sent: verdict.intent });
      return { kept: { kind: "verdict", verdict }, ending: { kind: "done" } };
    case "wait":
    case "deletion-fight":
    case "held":
      return { kept: { kind: "verdict", verdict }, ending: comingBack(verdict.inMs, parts) };
    case "managed-by-other":
    case "unmanaged":
    case "paused":
    case "contested":
    case "not-there":
      return { kept: { kind: "verdict", verdict }, ending: { kind: "done" } };
  }
}

function comingBack(inMs: number | undefined, { clock }: PlatformParts): Ending {
  return inMs === undefined ? { kind: "done" } : { kind: "again", atMs: clock.wall() + inMs };
}

/** An answer about another object of that name is none. */
function answerOf({ answer }: ObjectMemory, live: KubeObject): KubeObject {
  return answer !== undefined && answer.metadata.uid === live.metadata.uid ? answer : live;
}
