// Which parts of an object may be taken away because their own switch is off, where people ask for that.

import type { Ref } from "@virt/api";
import { governorOf } from "@virt/engine";
import type { Asset } from "../asset.ts";
import { excludedBy } from "../disabled-resources.ts";
import type { Asked } from "../evaluate/asked.ts";
import { askedOf, checks } from "../evaluate/evaluate-asset.ts";
import type { ManagedObject } from "../evaluate/evaluate-object.ts";
import type { World } from "../evaluate/world.ts";
import { booleanOf } from "../hco-annotations.ts";

/** None because of idle, lists, exclusions, plans, missing CRDs, hardware or inputs. */
export function prunedParts({ assets }: Pick<ManagedObject, "assets">, world: World): readonly Asset[] {
  const { hco, unread } = world;
  const isAsked = hco !== undefined && booleanOf(hco.annotations, "prune") === true;
  if (!isAsked || unread !== undefined) return []; // a plan that nobody could read yet may be in charge
  return assets.map((asset) => askedOf(asset, world, hco)).flatMap((asked) => (isPruned(asked) ? asked.asset : []));
}

/** With a switch that is off the evaluation ends, before anybody asks whether it may be written at all. */
function isPruned(asked: Asked): boolean {
  const { activation, "allow-list": isListed, switch: isSwitchedOn, exclusions, plans } = checks;
  const others = [activation, isListed, exclusions, plans];
  return isSwitchedOn(asked) !== undefined && others.every((check) => check(asked) === undefined);
}

type Barring = Pick<World, "exclusions" | "plans" | "unread">;

/** Nothing may be written to it, whatever it is: people exclude it, a plan is in charge, or nobody can say. */
export function isBarred(ref: Ref, { exclusions, plans, unread }: Barring): boolean {
  if (exclusions === undefined || unread !== undefined) return true;
  return excludedBy(exclusions, ref) !== undefined || governorOf(plans, ref) !== undefined;
}
