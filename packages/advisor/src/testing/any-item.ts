// Generates random plan items and targets, in any state.

import { type Item, itemStates } from "@virt/api";
import type { Health } from "@virt/cluster";
import fc from "fast-check";
import type { ObservedItem } from "../observed.ts";
import {
  appliedItem,
  begunItem,
  deschedulerItem,
  doneItem,
  drift,
  failedItem,
  health,
  observedItem,
  psi,
  removal,
  secondsAgo,
} from "./observed-fixtures.ts";

export const likely = (percent: number): fc.Arbitrary<boolean> =>
  fc.integer({ min: 1, max: 100 }).map((drawn) => drawn <= percent);

export const anyHealth: fc.Arbitrary<Health> = fc
  .constantFrom("done", "done", "waiting", "degraded", "failed")
  .map((state) => health(state));

const inState: Readonly<Record<Item["state"], (item: Item) => Item>> = {
  Pending: (item) => item,
  InProgress: begunItem,
  Completed: doneItem,
  Failed: (item) => failedItem(item),
};

function anyItem(item: Item): fc.Arbitrary<Item> {
  const drawn = fc.record({
    state: fc.constantFrom(...itemStates),
    changes: likely(75),
    isConfirmed: fc.boolean(),
    isAbsent: likely(20),
    waits: likely(20),
    corrections: fc.subarray([1900, 1000, 400, 70, 10], { maxLength: 3 }),
  });
  return drawn.map(({ state, changes, isConfirmed, isAbsent, waits, corrections }) => {
    const planned: Item = {
      ...item,
      changes: changes || item.operation === "Delete",
      ...(isAbsent && { reviewed: { uid: "", resourceVersion: "", hash: "absent" } }),
      ...(waits && item.name !== psi().name && { waitsFor: psi().name }),
      ...(corrections.length > 0 && { corrections: corrections.map(secondsAgo) }),
    };
    return state === "InProgress" && isConfirmed ? appliedItem(planned) : inState[state](planned);
  });
}

function anyView(item: Item): fc.Arbitrary<ObservedItem> {
  const drawn = fc.record({
    isMoved: likely(15),
    isDrifted: likely(15),
    isRolling: likely(80),
    rollout: anyHealth,
    isMissed: likely(15),
    isReverted: likely(10),
  });
  return drawn.map(({ isMoved, isDrifted, isRolling, rollout, isMissed, isReverted }) =>
    observedItem(item, {
      ...(isMoved && { current: { uid: "u2", resourceVersion: "7", hash: "h7" } }),
      ...(isDrifted && { drift: drift(isReverted ? { kind: "taken-over" } : {}) }),
      ...(isReverted && item.operation === "Apply" && { isReverted }),
      ...(item.targetRef.kind === "MachineConfig" && isRolling && { rollout }),
      ...(isMissed && { nodesWithout: ["worker-1"] }),
    }),
  );
}

export const anyItems: fc.Arbitrary<readonly ObservedItem[]> = fc
  .subarray([psi(), deschedulerItem(), removal()])
  .chain((items) => fc.tuple(...items.map(anyItem)))
  .chain((items) => fc.tuple(...items.map(anyView)));
