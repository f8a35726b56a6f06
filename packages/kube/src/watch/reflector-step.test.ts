import fc from "fast-check";
import { expect, test } from "vitest";
import { initialState } from "./reflector-state.ts";
import { step } from "./reflector-step.ts";
import { ReflectorWorld } from "./reflector-world.ts";

/** Each number is one thing that happens: to the server's objects, to the network, or to nobody. */
const history = fc.array(fc.nat(999), { maxLength: 60, size: "max" });

test("after any sequence of faults the store equals the server", () => {
  const law = fc.property(history, fc.boolean(), (happenings, canStream) => {
    const world = new ReflectorWorld(canStream);
    for (const happening of happenings) world.happen(happening);
    world.heal();
    expect(world.storeContents()).toEqual(world.serverContents());
  });
  fc.assert(law, { numRuns: 20_000 });
});

test("nobody is told of the past: versions that handlers see of a key never go back", () => {
  const law = fc.property(history, (happenings) => {
    const world = new ReflectorWorld(true);
    for (const happening of happenings) world.happen(happening);
    world.heal();
    expect(world.regressions).toEqual([]);
  });
  fc.assert(law, { numRuns: 20_000 });
});

test("there is at most one connection, one wait or one page under way, and never none", () => {
  const law = fc.property(history, fc.boolean(), (happenings, canStream) => {
    const world = new ReflectorWorld(canStream);
    return happenings.every((happening) => {
      world.happen(happening);
      return world.efforts() === 1;
    });
  });
  fc.assert(law, { numRuns: 20_000 });
});

const start = step(initialState(true), { is: "start" }).state;
const watching = step(start, {
  is: "frame",
  effort: 1,
  frame: { type: "bookmark", version: "10", isInitialEnd: true },
}).state;

test("a server without streaming lists is asked for pages at once, and for ever", () => {
  const refused = step(start, {
    is: "ended",
    effort: 1,
    ending: { how: "refused", code: 422, why: "sendInitialEvents is forbidden" },
  });
  expect(refused.actions.at(-1)).toEqual({ do: "list", effort: 2, by: "pages" });
  const old = step(start, { is: "frame", effort: 1, frame: { type: "error", code: 500, message: "etcd too old" } });
  expect(old.actions.at(-1)).toEqual({ do: "list", effort: 2, by: "pages" });
});

test("a stream that the server ended is resumed at once, from the last version seen", () => {
  const bookmarked = step(watching, {
    is: "frame",
    effort: 1,
    frame: { type: "bookmark", version: "12", isInitialEnd: false },
  }).state;
  const again = step(bookmarked, { is: "ended", effort: 1, ending: { how: "whole" } });
  expect(again.actions).toEqual([{ do: "watch", effort: 2, from: "12" }]);
});

test("a kind that is not served any more vanishes, and nothing is tried until somebody starts again", () => {
  const gone = step(watching, { is: "ended", effort: 1, ending: { how: "refused", code: 404, why: "" } });
  expect(gone.actions).toEqual([{ do: "hang-up" }, { do: "vanish" }]);
  for (const input of [{ is: "doubted" }, { is: "relist" }, { is: "due", effort: gone.state.effort }] as const) {
    expect(step(gone.state, input).actions).toEqual([]);
  }
  expect(step(gone.state, { is: "start" }).actions).toEqual([{ do: "list", effort: 3, by: "stream" }]);
});

test("silence is answered by one probe at a time, and by a new stream after 150 seconds whatever probes said", () => {
  const asked = step(watching, { is: "quiet", effort: 1, forMs: 30_000 });
  expect(asked.actions).toEqual([{ do: "probe", effort: 1, from: "10" }]);
  expect(step(asked.state, { is: "quiet", effort: 1, forMs: 60_000 }).actions).toEqual([]);
  const calm = step(asked.state, { is: "probed", effort: 1, saw: "nothing" });
  expect(calm.actions).toEqual([]);
  expect(step(calm.state, { is: "quiet", effort: 1, forMs: 150_000 }).actions.at(-1)).toEqual({
    do: "watch",
    effort: 2,
    from: "10",
  });
});

test("a stream that a probe has overtaken is dead, and what was missed comes by resuming", () => {
  const { state } = step(watching, { is: "doubted" });
  for (const saw of ["newer", "expired", "no answer"] as const) {
    const again = step(state, { is: "probed", effort: 1, saw });
    expect(again.actions.map((action) => action.do)).toEqual(["hang-up", "tell", "watch"]);
    expect(again.actions.at(-1)).toEqual({ do: "watch", effort: 2, from: "10" });
  }
});

test("a server that lags is waited for, and one that was restored from a backup is believed in the end", () => {
  let state = step(watching, { is: "relist" }).state;
  const answers: unknown[] = [];
  for (let round = 0; round < 6; round++) {
    const ending = { how: "refused", code: 504, why: "too large resource version", isLagging: true } as const;
    state = step(state, { is: "ended", effort: state.effort, ending }).state;
    const next = step(state, { is: "due", effort: state.effort });
    answers.push(next.actions.map((action) => (action.do === "list" ? action.notOlderThan : action.do)));
    state = next.state;
  }
  expect(answers).toEqual([["10"], ["10"], ["10"], ["10"], [undefined], [undefined]]);
});

test("a kind that has just come is asked again soon, once; after that the server's wish is obeyed", () => {
  const busy = { how: "refused", code: 429, why: "storage is (re)initializing", retryInMs: 1_000 } as const;
  const waits = (from: typeof start) => {
    const ended = step(from, { is: "ended", effort: from.effort, ending: busy });
    const wait = ended.actions.find((action) => action.do === "wait");
    return { ended, ms: wait?.do === "wait" ? wait.atLeastMs : undefined };
  };
  const first = waits(start);
  const again = step(first.ended.state, { is: "due", effort: first.ended.state.effort }).state;
  expect([first.ms, waits(again).ms, waits(watching).ms]).toEqual([300, 1_000, 1_000]);
});
