// What follows from the answer to an effect.

import type { Item } from "@virt/api";
import { confirmed, inState } from "./items.ts";
import type { Decision, Observed } from "./observed.ts";
import { blockedLanding } from "./stages/await-prerequisites.ts";
import { goOn, underWay } from "./stages/execute.ts";
import { stalePlan } from "./stages/stale-plan.ts";

export type Done =
  | { readonly kind: "confirmed" } // by this process, or by the one before it
  | { readonly kind: "stale" }
  | { readonly kind: "rejected"; readonly message: string } // often enough to believe it
  | { readonly kind: "blocked"; readonly message: string }
  | { readonly kind: "edited" } // the config is not what this pass decided on
  | { readonly kind: "unavailable"; readonly message: string; readonly retryInMs?: number };

export function record(seen: Observed, item: Item, done: Done): Decision {
  switch (done.kind) {
    case "confirmed":
      return goOn(...replaced(seen, confirmed(item, seen.now)));
    case "rejected": {
      const verb = item.operation === "Delete" ? "delete" : "apply";
      const message = `Failed to ${verb}: ${done.message}`;
      const failure = { item: item.name, why: done.message };
      return goOn(...replaced(seen, inState(item, "Failed", message, seen.now)), failure);
    }
    case "stale":
      return stalePlan(underWay(seen));
    case "blocked":
      return blockedLanding(underWay(seen), done.message);
    case "edited":
      return { status: seen.was, again: { when: "at-once" } };
    case "unavailable": {
      const { message, retryInMs } = done;
      return { status: seen.was, again: { when: "retry", message, ...(retryInMs !== undefined && { retryInMs }) } };
    }
  }
}

function replaced(seen: Observed, item: Item): [Observed, readonly Item[]] {
  return [underWay(seen), (seen.was.items ?? []).map((stored) => (stored.name === item.name ? item : stored))];
}
