import { platformRule } from "@virt/objects";
import { runsForCost } from "@virt/testkit/law-runs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { forgotten, observedOf } from "../testing/reconciled-example.ts";
import { decideObject } from "./decide-object.ts";
import type { ObjectMemory } from "./observe-object.ts";
import { noteThere, readState } from "./state.ts";

const minute = 60_000;
const start = 1_800_000_000_000;

test("recreates an object five times an hour, then when the window allows", () => {
  const minutes = (count: number) => start - count * minute;
  const memory = (recreated: readonly number[]) => ({ ...forgotten, wasThere: true, recreated });
  const five = [50, 40, 30, 20, 10].map(minutes);
  expect(decideObject(observedOf({ a: 1 }, { memory: memory(five) }))).toEqual({
    kind: "deletion-fight",
    inMs: 10 * minute,
    count: 5,
  });
  expect(decideObject(observedOf({ a: 1 }, { memory: memory(five.slice(1)) })).kind).toBe("apply");
  expect(decideObject(observedOf({ a: 1 }, { memory: memory([60, 40, 30, 20, 10].map(minutes)) })).kind).toBe("apply");
  const ahead = [1, 2, 3, 4, 5].map((year) => start + year * 1e10);
  expect(decideObject(observedOf({ a: 1 }, { memory: memory(ahead) }))).toMatchObject({ inMs: 60 * minute });
});

test("counts re-creations, not the first creation, in the state", () => {
  const recreatedBy = (memory: ObjectMemory) => {
    const decision = decideObject(observedOf({ a: 1 }, { memory }));
    return decision.kind === "apply" && readState(decision.apply.object).recreated;
  };
  const long = start - 61 * minute;
  expect(recreatedBy(forgotten)).toEqual([]);
  expect(recreatedBy({ ...forgotten, wasThere: true })).toEqual([start]);
  expect(recreatedBy({ ...forgotten, wasThere: true, recreated: [long, start - 5] })).toEqual([start - 5, start]);
});

type Deletion = { readonly afterMs: number; readonly isForgotten: boolean };

/** Simulates a client that deletes the object after each pause. The operator may lose its memory in between. */
function simulateDeletions(deletions: readonly Deletion[]): readonly number[] {
  let now = start;
  let memory = forgotten;
  let live: Parameters<typeof noteThere>[1] | undefined;
  const made: number[] = [];
  for (const { afterMs, isForgotten } of deletions) {
    if (live !== undefined) memory = noteThere(isForgotten ? forgotten : memory, live);
    now += afterMs;
    const decision = decideObject(observedOf({ a: 1 }, { now, memory }));
    live = decision.kind === "apply" ? decision.apply.object : undefined;
    if (live !== undefined) made.push(now);
  }
  return made.slice(1); // the first creation is not a re-creation
}

test("recreates at most five times an hour at any pace, also across restarts", { timeout: 240_000 }, () => {
  const pace = fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 2000 }), fc.integer({ min: 1, max: 13 * minute }));
  const deletion = fc.record({ afterMs: pace, isForgotten: fc.boolean() });
  const law = fc.property(fc.array(deletion, { minLength: 7, maxLength: 12, size: "max" }), (deletions) => {
    const made = simulateDeletions(deletions);
    const inHour = (from: number) => made.filter((at) => at >= from && at - from < platformRule.windowMs).length;
    expect(Math.max(0, ...made.map(inHour))).toBeLessThanOrEqual(platformRule.limit);
  });
  fc.assert(law, runsForCost(8));
});

test("recreates each time if deleted every 15 minutes", () => {
  const deletions = Array.from({ length: 12 }, (_, at) => ({ afterMs: 15 * minute, isForgotten: at % 3 === 0 }));
  expect(simulateDeletions(deletions)).toHaveLength(11);
});
