// One look at an object, with what it needs before and what is told after; and the round over all of them.

import type { Ending, Tools } from "@virt/kube";
import type { Kept } from "./acting.ts";
import { dueTombstones } from "./bury.ts";
import { reportOn } from "./hco-report.ts";
import { keepObject, type Pass } from "./keep.ts";
import { loadInputs } from "./load-inputs.ts";
import { isHco, keyOf } from "./objects.ts";
import type { PlatformParts } from "./parts.ts";
import { prune } from "./prune.ts";
import { announce, reportPass } from "./report.ts";
import type { Scene } from "./scene.ts";
import type { Stage } from "./stage.ts";
import { unreadInputs } from "./unread.ts";
import { reportNoHco } from "./without-hco.ts";

export type Looking = { readonly parts: PlatformParts; readonly stage: Stage; readonly tools: Tools };

/** The HyperConverged first: what it then says is what the others are made from. */
export function lookAtAll({ stage, parts }: Looking): Ending {
  const scene = stage.scene();
  const hco = scene?.objects.find(({ ref }) => isHco(ref));
  if (scene === undefined || hco === undefined) {
    reportNoHco(parts);
    return { kind: "done" };
  }
  parts.standing.tally.begin();
  // What earlier releases applied goes first, best effort; what is done with costs no further request.
  if (scene.world.activation.isActive) for (const key of dueTombstones(parts)) parts.look(key);
  // Under its own key: two passes over one object at a time would both correct it.
  parts.standing.isRoundDue = true;
  parts.look(keyOf(hco.ref));
  return { kind: "done" };
}

export async function lookAt(key: string, { parts, stage, tools }: Looking): Promise<Ending> {
  const begun = parts.clock.monotonic();
  const found = stage.scene()?.object(key);
  if (found === undefined) return { kind: "done" };
  const known = parts.remembered.revision();
  const isRead = await loadInputs(found, parts, tools);
  const scene = stage.scene();
  const object = scene?.object(key);
  if (scene === undefined || object === undefined) return { kind: "done" };
  if (isHco(object.ref)) {
    if (parts.remembered.revision() !== known) parts.standing.isRoundDue = true; // its schema says what all may ask for
  } else if (parts.standing.hcoDone !== scene.content) return { kind: "done" };
  const pass = await keepObject(object, scene, parts, tools);
  const unread = unreadInputs(key, pass, { since: parts.standing.unreadSince, now: begun });
  reportPass(object, pass, { hco: scene.hco, unread: unread.told }, parts);
  const pruned = await prune(object, pass.evaluated, { world: scene.world, parts, tools });
  for (const one of pruned.told) announce(one, { key, hco: scene.hco, ref: object.ref, parts });
  if (pass.kept.kind !== "excluded") parts.metrics.took(object.ref, (parts.clock.monotonic() - begun) / 1000);
  parts.standing.tally.add(key, pass.kept, pass.evaluated);
  if (isHco(object.ref)) {
    reportOn(scene, parts);
    passOn(scene, pass.kept, parts);
  }
  return endingOf(pass, [isRead ? done : { kind: "failed" }, pruned.ending, againAt(unread.dueAt, parts)]);
}

const done: Ending = { kind: "done" };

/** The first that is not done. */
function endingOf({ ending }: Pass, others: readonly Ending[]): Ending {
  return [ending, ...others].find(({ kind }) => kind !== "done") ?? done;
}

function againAt(dueAt: number | undefined, { clock }: PlatformParts): Ending {
  return dueAt === undefined ? done : { kind: "again", atMs: clock.wall() + dueAt - clock.monotonic() };
}

/** Others work from what the HyperConverged says when its own stage is through. */
function passOn({ content, objects }: Scene, kept: Kept, { standing, look }: PlatformParts): void {
  const isThrough = kept.kind !== "applied" && standing.hcoDone !== content;
  if (isThrough) standing.hcoDone = content;
  if (!isThrough && !standing.isRoundDue) return;
  standing.isRoundDue = false;
  for (const { ref } of objects) if (!isHco(ref)) look(keyOf(ref));
}
