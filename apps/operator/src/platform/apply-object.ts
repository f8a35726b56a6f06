// Applies what is due to one object: a dry run that confirms it, what has to be handed over before, and the apply itself.

import { fieldManagers, type KubeObject } from "@virt/api";
import { type Bucket, type Expect, equalJson, type Outcome, take } from "@virt/engine";
import { isDryRunRefused } from "@virt/kube";
import {
  type Apply,
  giveUpObject,
  handOverObject,
  isWriteDue,
  type ObjectMemory,
  readOverrides,
  readState,
  releasedManager,
  type Verdict,
  writeRate,
} from "@virt/platform";
import { type Acted, type Acting, failed } from "./acting.ts";
import { refused } from "./refusal.ts";
import { managedWatch } from "./watches.ts";

const manager = fieldManagers.platform;

type Due = Extract<Verdict, { kind: "apply" }>;

export async function applyNow(verdict: Due, acting: Acting): Promise<Acted> {
  const { apply } = verdict;
  const { live, parts, tools, key } = acting;
  const confirmed = await confirm(verdict, acting);
  if (confirmed.kind === "over") return confirmed.acted;
  const handed = await handOver(apply, acting);
  if (handed !== undefined && (handed.kind !== "done" || handed.live === undefined)) return failed(handed, acting);
  const newest = handed?.live ?? confirmed.newest;
  const expect: Expect = newest === undefined ? "absent" : versionOf(newest);
  const outcome = await tools.cluster.apply(apply.object, { manager, force: live !== undefined, expect });
  if (outcome.kind !== "done" || outcome.live === undefined) return refused(outcome, apply, acting);
  tools.wrote(managedWatch(acting.object.ref, parts.settings.hcoNamespace), outcome.live);
  parts.memory.set(key, {
    ...afterWrite(apply, acting),
    bucket: await giveUp(outcome.live, verdict.bucket, acting),
    answer: outcome.live,
    sent: apply.intent,
  });
  return { kept: { kind: "applied", apply, live: outcome.live }, ending: { kind: "done" } };
}

/** The newest form of the object that is known, if it is to be written; it may be newer than what was judged. */
type Confirmed =
  | { readonly kind: "due"; readonly newest: KubeObject | undefined }
  | { readonly kind: "over"; readonly acted: Acted };

async function confirm({ apply, skipsDryRun }: Due, acting: Acting): Promise<Confirmed> {
  const { live } = acting;
  // What is to be handed over is a change for certain, and without it the server may miss a field that it requires.
  if (skipsDryRun || live === undefined || apply.handOver.length > 0) return { kind: "due", newest: live };
  const write = { manager, force: true, expect: { uid: live.metadata.uid ?? "" } };
  const outcome = await acting.tools.cluster.predict(apply.object, write);
  if (isDryRunRefused(outcome)) return { kind: "due", newest: live }; // the apply itself will tell
  if (outcome.kind !== "done" || outcome.live === undefined)
    return { kind: "over", acted: await refused(outcome, apply, acting) };
  if (!isSameWish(live, outcome.live)) return { kind: "over", acted: failed({ kind: "stale" }, acting) };
  if (isWriteDue(live, outcome.live)) return { kind: "due", newest: outcome.live };
  return { kind: "over", acted: settle(apply, answerFor(live, outcome.live), acting) };
}

function settle({ contested, intent }: Apply, answer: KubeObject, { parts, memory, key }: Acting): Acted {
  parts.memory.set(key, { ...memory, answer, sent: intent });
  return { kept: { kind: "verdict", verdict: { kind: "in-sync", contested, intent } }, ending: { kind: "done" } };
}

/** What people say on the object is what it was judged by. */
function isSameWish(judged: KubeObject, now: KubeObject): boolean {
  return equalJson(readOverrides(judged), readOverrides(now));
}

/** A prediction is no stored version: it was compared with the one that we know, whatever the server has by now. */
function answerFor({ metadata: { resourceVersion } }: KubeObject, predicted: KubeObject): KubeObject {
  return { ...predicted, metadata: { ...predicted.metadata, ...(resourceVersion && { resourceVersion }) } };
}

/** A creation of what was there before undoes somebody's deletion: the object says so itself. */
function afterWrite({ cause, object }: Apply, { memory }: Acting): Pick<ObjectMemory, "wasThere" | "recreated"> {
  const { recreated = [] } = memory;
  return { wasThere: true, recreated: cause === "create" ? readState(object).recreated : recreated };
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
