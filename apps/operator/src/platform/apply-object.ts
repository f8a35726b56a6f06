// Applies what is due to one object: a dry run that confirms it, what has to be handed over before, and the apply itself.

import { fieldManagers, type KubeObject } from "@virt/api";
import { type Bucket, type Expect, equalJson, type Outcome, take } from "@virt/engine";
import {
  type Apply,
  giveUpObject,
  handOverObject,
  isWriteDue,
  type ObjectMemory,
  readOverrides,
  recreations,
  releasedManager,
  type Verdict,
  writeRate,
} from "@virt/platform";
import { type Acted, type Acting, failed } from "./acting.ts";
import { managedWatch } from "./watches.ts";

const manager = fieldManagers.platform;

export async function applyNow(verdict: Extract<Verdict, { kind: "apply" }>, acting: Acting): Promise<Acted> {
  const { apply } = verdict;
  const { live, memory, parts, tools, key } = acting;
  const expect: Expect = live === undefined ? "absent" : versionOf(live);
  const write = { manager, force: live !== undefined, expect };
  let seen = live;
  // What is to be handed over is a change for certain, and without it the server may miss a field that it requires.
  if (!verdict.skipsDryRun && live !== undefined && apply.handOver.length === 0) {
    const outcome = await tools.cluster.predict(apply.object, { ...write, expect: { uid: live.metadata.uid ?? "" } });
    if (outcome.kind !== "done" || outcome.live === undefined) return failed(outcome, acting);
    if (!isSameWish(live, outcome.live)) return failed({ kind: "stale" }, acting);
    seen = outcome.live; // newer than what we judged, with the same wishes on it
    if (!isWriteDue(live, outcome.live)) {
      parts.memory.set(key, { ...memory, answer: answerFor(live, outcome.live), sent: apply.intent, wasThere: true });
      const settled = { kind: "in-sync", contested: apply.contested, intent: apply.intent } as const;
      return { kept: { kind: "verdict", verdict: settled }, ending: { kind: "done" } };
    }
  }
  const handed = await handOver(apply, acting);
  if (handed !== undefined && (handed.kind !== "done" || handed.live === undefined)) return failed(handed, acting);
  const newest = handed?.live ?? seen;
  const outcome = await tools.cluster.apply(apply.object, {
    ...write,
    expect: newest === undefined ? expect : versionOf(newest),
  });
  if (outcome.kind !== "done" || outcome.live === undefined) return failed(outcome, acting);
  tools.wrote(managedWatch(acting.object.ref, parts.settings.hcoNamespace), outcome.live);
  parts.memory.set(key, {
    ...afterWrite(apply, acting),
    bucket: await giveUp(outcome.live, verdict.bucket, acting),
    answer: outcome.live,
    sent: apply.intent,
  });
  return { kept: { kind: "applied", apply, live: outcome.live }, ending: { kind: "done" } };
}

/** What people say on the object is what it was judged by. */
function isSameWish(judged: KubeObject, now: KubeObject): boolean {
  return equalJson(readOverrides(judged), readOverrides(now));
}

/** A prediction is no stored version: it was compared with the one that we know, whatever the server has by now. */
function answerFor({ metadata: { resourceVersion } }: KubeObject, predicted: KubeObject): KubeObject {
  return { ...predicted, metadata: { ...predicted.metadata, ...(resourceVersion && { resourceVersion }) } };
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

/** What somebody owns again need not be held any more. It is tidying: what fails or waits is mended by the next write. */
async function giveUp(live: KubeObject, before: Bucket, { object, parts, tools }: Acting): Promise<Bucket> {
  const rest = giveUpObject(live);
  const { granted, bucket } = take(before, writeRate, parts.clock.wall());
  if (rest === undefined || !granted) return before;
  const write = { manager: releasedManager, force: false, expect: versionOf(live) };
  const outcome = await tools.cluster.apply(rest, write);
  if (outcome.kind !== "done" || outcome.live === undefined) return before;
  tools.wrote(managedWatch(object.ref, parts.settings.hcoNamespace), outcome.live);
  return bucket;
}
