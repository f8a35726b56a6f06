// One pass over one managed object: evaluate, judge, and at most two requests.

import { fieldManagers, type KubeObject } from "@virt/api";
import { type Expect, fullBucket, type Outcome } from "@virt/engine";
import { type Ending, patchObject, type Resource, type Tools, writingOf } from "@virt/kube";
import {
  type Apply,
  type Evaluated,
  giveUpObject,
  handOverObject,
  isWriteDue,
  judge,
  type ManagedObject,
  type ObjectMemory,
  objectAnnotations,
  recreations,
  releasedManager,
  seeObject,
  type Verdict,
} from "@virt/platform";
import { keyOf } from "./objects.ts";
import type { PlatformParts } from "./parts.ts";
import type { Scene } from "./scene.ts";
import { managedWatch } from "./watches.ts";

const manager = fieldManagers.platform;
const permanentMs = 300_000;

/** What became of an object in a pass; the report is made of it. */
export type Kept =
  | { readonly kind: "excluded" }
  | { readonly kind: "verdict"; readonly verdict: Verdict }
  | { readonly kind: "applied"; readonly apply: Apply; readonly live: KubeObject }
  | { readonly kind: "paused-now"; readonly verdict: Extract<Verdict, { kind: "pause" }> }
  | { readonly kind: "failed"; readonly message: string; readonly isPermanent: boolean };

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
  const memory = parts.memory.get(key) ?? { bucket: fullBucket, wasThere: false };
  const verdict = judge(seeObject(object, wanted, { world: scene.world, now: parts.clock.wall(), memory }));
  const acting: Acting = { object, live, memory, parts, tools, key };
  const { kept, ending } = await act(verdict, acting);
  return { kept, evaluated, ending };
}

type Acting = {
  readonly object: ManagedObject;
  readonly live: KubeObject | undefined;
  readonly memory: ObjectMemory;
  readonly parts: PlatformParts;
  readonly tools: Tools;
  readonly key: string;
};

type Acted = { readonly kept: Kept; readonly ending: Ending };

async function act(verdict: Verdict, acting: Acting): Promise<Acted> {
  const { memory, parts, key, live } = acting;
  switch (verdict.kind) {
    case "apply":
      return applyNow(verdict, acting);
    case "pause":
      return pauseNow(verdict, acting);
    case "wait":
      return { kept: { kind: "verdict", verdict }, ending: { kind: "again", atMs: parts.clock.wall() + verdict.inMs } };
    case "in-sync":
      if (live !== undefined)
        parts.memory.set(key, { ...memory, answer: answerOf(memory, live), sent: verdict.intent, wasThere: true });
      return { kept: { kind: "verdict", verdict }, ending: { kind: "done" } };
    case "deletion-fight":
      return { kept: { kind: "verdict", verdict }, ending: { kind: "again", atMs: parts.clock.wall() + verdict.inMs } };
    case "managed-by-other":
    case "unmanaged":
    case "paused":
    case "held":
    case "contested":
    case "not-there":
      return { kept: { kind: "verdict", verdict }, ending: { kind: "done" } };
  }
}

/** An answer about another object of that name is none. */
function answerOf({ answer }: ObjectMemory, live: KubeObject): KubeObject {
  return answer !== undefined && answer.metadata.uid === live.metadata.uid ? answer : live;
}

/** A prediction is no stored version: it was compared with the one that we know, whatever the server has by now. */
function answerFor({ metadata: { resourceVersion } }: KubeObject, predicted: KubeObject): KubeObject {
  return { ...predicted, metadata: { ...predicted.metadata, ...(resourceVersion && { resourceVersion }) } };
}

async function applyNow(verdict: Extract<Verdict, { kind: "apply" }>, acting: Acting): Promise<Acted> {
  const { apply } = verdict;
  const { live, memory, parts, tools, key } = acting;
  const expect: Expect = live === undefined ? "absent" : versionOf(live);
  const write = { manager, force: live !== undefined, expect };
  // What is to be handed over is a change for certain, and without it the server may miss a field that it requires.
  if (!verdict.skipsDryRun && live !== undefined && apply.handOver.length === 0) {
    const outcome = await tools.cluster.predict(apply.object, write);
    if (outcome.kind !== "done" || outcome.live === undefined) return failed(outcome, acting);
    if (!isWriteDue(live, outcome.live)) {
      parts.memory.set(key, { ...memory, answer: answerFor(live, outcome.live), sent: apply.intent, wasThere: true });
      const settled = { kind: "in-sync", contested: apply.contested, intent: apply.intent } as const;
      return { kept: { kind: "verdict", verdict: settled }, ending: { kind: "done" } };
    }
  }
  const handed = await handOver(apply, acting);
  if (handed !== undefined && (handed.kind !== "done" || handed.live === undefined)) return failed(handed, acting);
  const after = handed?.live === undefined ? expect : versionOf(handed.live);
  const outcome = await tools.cluster.apply(apply.object, { ...write, expect: after });
  if (outcome.kind !== "done" || outcome.live === undefined) return failed(outcome, acting);
  tools.wrote(managedWatch(acting.object.ref, parts.settings.hcoNamespace), outcome.live);
  parts.memory.set(key, {
    ...afterWrite(apply, acting),
    bucket: verdict.bucket,
    answer: outcome.live,
    sent: apply.intent,
  });
  await giveUp(outcome.live, acting);
  return { kept: { kind: "applied", apply, live: outcome.live }, ending: { kind: "done" } };
}

/** A creation of what was there before undoes somebody's deletion. */
function afterWrite({ cause }: Apply, { memory, parts }: Acting): Pick<ObjectMemory, "wasThere" | "recreated"> {
  const now = parts.clock.wall();
  const before = recreations(memory.recreated ?? [], now);
  const isUndone = cause === "create" && memory.wasThere;
  return { wasThere: true, recreated: isUndone ? [...before, now] : before };
}

/** What somebody said by an annotation that we have not seen yet must not be overwritten, and force would do it. */
function versionOf({ metadata: { uid = "", resourceVersion } }: KubeObject): Exclude<Expect, string> {
  return { uid, ...(resourceVersion && { resourceVersion }) };
}

/** Before we leave out what only we own, somebody else holds it: its value stays. Undefined: there is nothing to do. */
async function handOver({ handOver: paths }: Apply, { live, tools }: Acting): Promise<Outcome | undefined> {
  if (live === undefined || paths.length === 0) return undefined;
  const write = { manager: releasedManager, force: false, expect: versionOf(live) };
  return tools.cluster.apply(handOverObject(live, paths), write);
}

/** What somebody owns again need not be held any more. It is tidying: a failure is mended by the next write. */
async function giveUp(live: KubeObject, { object, parts, tools }: Acting): Promise<void> {
  const rest = giveUpObject(live);
  if (rest === undefined) return;
  const write = { manager: releasedManager, force: false, expect: versionOf(live) };
  const outcome = await tools.cluster.apply(rest, write);
  if (outcome.kind === "done" && outcome.live !== undefined)
    tools.wrote(managedWatch(object.ref, parts.settings.hcoNamespace), outcome.live);
}

/** A failure takes no token, and never counts as a fight. */
function failed(outcome: Outcome, { parts, memory, key, live }: Acting): Acted {
  parts.memory.set(key, { ...memory, wasThere: live !== undefined || memory.wasThere });
  const message = "message" in outcome ? outcome.message : outcome.kind;
  if (outcome.kind === "stale") {
    const verdict = { kind: "held", reason: "Stale", message: "it changed while we looked at it" } as const;
    return { kept: { kind: "verdict", verdict }, ending: { kind: "failed" } }; // what is new is seen next time
  }
  if (outcome.kind === "rejected") {
    const ending = { kind: "again", atMs: parts.clock.wall() + permanentMs } as const;
    return { kept: { kind: "failed", message, isPermanent: true }, ending };
  }
  const retry =
    outcome.kind === "unavailable" && outcome.retryInMs !== undefined ? { retryInMs: outcome.retryInMs } : {};
  return { kept: { kind: "failed", message, isPermanent: false }, ending: { kind: "failed", ...retry } };
}

async function pauseNow(verdict: Extract<Verdict, { kind: "pause" }>, acting: Acting): Promise<Acted> {
  const { live, memory, parts, tools, key, object } = acting;
  const found = await parts.discovery.find(object.ref, tools.signal, tools.sender);
  const { resourceVersion } = live?.metadata ?? {};
  const annotations = { [objectAnnotations.paused]: "true", [objectAnnotations.state]: verdict.state };
  const held = { ...memory, unwrittenPause: verdict.paused };
  parts.memory.set(key, held);
  if (found.kind !== "served" || resourceVersion === undefined)
    return {
      kept: { kind: "failed", message: "the pause cannot be written", isPermanent: false },
      ending: { kind: "failed" },
    };
  const place = { name: object.ref.name, ...(object.ref.namespace && { namespace: object.ref.namespace }) };
  const body = { metadata: { resourceVersion, annotations } };
  const request = patchObject(found.resource satisfies Resource, place, body, { type: "merge", fieldManager: manager });
  const written = writingOf(await tools.sender.send(request, { signal: tools.signal, mayWrite: tools.mayWrite }));
  if (written.kind !== "done" || written.live === undefined)
    return {
      kept: { kind: "failed", message: "the pause cannot be written", isPermanent: false },
      ending: { kind: "failed" },
    };
  tools.wrote(managedWatch(object.ref, parts.settings.hcoNamespace), written.live);
  const { unwrittenPause: _written, ...rest } = held;
  parts.memory.set(key, { ...rest, ...(rest.answer && { answer: pausedAnswer(rest.answer, verdict.state) }) });
  return { kept: { kind: "paused-now", verdict }, ending: { kind: "done" } };
}

/** What we know of the fight ends with the pause, whatever becomes of the object's own memory. */
function pausedAnswer({ metadata, ...answer }: KubeObject, state: string): KubeObject {
  const annotations = { ...metadata.annotations, [objectAnnotations.state]: state };
  return { ...answer, metadata: { ...metadata, annotations } };
}
