import fc from "fast-check";
import { expect, test } from "vitest";
import { ReflectorHarness } from "../testing/reflector-harness.ts";
import { initialReflectorState } from "./reflector-state.ts";
import { stepReflector } from "./reflector-step.ts";

/** Each number is one thing that happens: to the server's objects, to the network, or to nobody. */
const history = fc.array(fc.nat(999), { maxLength: 60, size: "max" });

test("after any sequence of faults the store equals the server", () => {
  const law = fc.property(history, fc.boolean(), (steps, canStream) => {
    const harness = new ReflectorHarness(canStream);
    for (const step of steps) harness.runStep(step);
    harness.heal();
    expect(harness.storeContents()).toEqual(harness.serverContents());
  });
  fc.assert(law);
});

test("handlers never see an older version of a key after a newer one", () => {
  const law = fc.property(history, (steps) => {
    const harness = new ReflectorHarness(true);
    for (const step of steps) harness.runStep(step);
    harness.heal();
    expect(harness.regressions).toEqual([]);
  });
  fc.assert(law);
});

test("there is at most one connection, one wait or one page under way, and never none", () => {
  const law = fc.property(history, fc.boolean(), (steps, canStream) => {
    const harness = new ReflectorHarness(canStream);
    return steps.every((step) => {
      harness.runStep(step);
      return harness.efforts() === 1;
    });
  });
  fc.assert(law);
});

const start = stepReflector(initialReflectorState(true), { is: "start" }).state;
const watching = stepReflector(start, {
  is: "frame",
  effort: 1,
  frame: { type: "bookmark", version: "10", isInitialEnd: true },
}).state;

test("a server without streaming lists is asked for pages at once, and for ever", () => {
  const refused = stepReflector(start, {
    is: "ended",
    effort: 1,
    ending: { how: "refused", code: 422, why: "sendInitialEvents is forbidden" },
  });
  expect(refused.actions.at(-1)).toEqual({ do: "list", effort: 2, by: "pages" });
  const old = stepReflector(start, {
    is: "frame",
    effort: 1,
    frame: { type: "error", code: 500, message: "etcd too old" },
  });
  expect(old.actions.at(-1)).toEqual({ do: "list", effort: 2, by: "pages" });
});

test("a stream that the server ended is resumed at once, from the last version seen", () => {
  const bookmarked = stepReflector(watching, {
    is: "frame",
    effort: 1,
    frame: { type: "bookmark", version: "12", isInitialEnd: false },
  }).state;
  const again = stepReflector(bookmarked, { is: "ended", effort: 1, ending: { how: "whole" } });
  expect(again.actions).toEqual([{ do: "watch", effort: 2, from: "12" }]);
});

test("a kind that is not served any more vanishes, and nothing is tried until somebody starts again", () => {
  const gone = stepReflector(watching, { is: "ended", effort: 1, ending: { how: "refused", code: 404, why: "" } });
  expect(gone.actions).toEqual([{ do: "close-watch" }, { do: "vanish" }]);
  for (const input of [{ is: "doubted" }, { is: "relist" }, { is: "due", effort: gone.state.effort }] as const) {
    expect(stepReflector(gone.state, input).actions).toEqual([]);
  }
  expect(stepReflector(gone.state, { is: "start" }).actions).toEqual([{ do: "list", effort: 3, by: "stream" }]);
});

test("silence is answered by one probe at a time, and by a new stream after 150 seconds whatever probes said", () => {
  const asked = stepReflector(watching, { is: "quiet", effort: 1, forMs: 30_000 });
  expect(asked.actions).toEqual([{ do: "probe", effort: 1, from: "10" }]);
  expect(stepReflector(asked.state, { is: "quiet", effort: 1, forMs: 60_000 }).actions).toEqual([]);
  const calm = stepReflector(asked.state, { is: "probed", effort: 1, saw: "nothing" });
  expect(calm.actions).toEqual([]);
  expect(stepReflector(calm.state, { is: "quiet", effort: 1, forMs: 150_000 }).actions.at(-1)).toEqual({
    do: "watch",
    effort: 2,
    from: "10",
  });
});

test("a stream that a probe has overtaken is dead, and what was missed comes by resuming", () => {
  const { state } = stepReflector(watching, { is: "doubted" });
  for (const saw of ["newer", "expired", "no answer"] as const) {
    const again = stepReflector(state, { is: "probed", effort: 1, saw });
    expect(again.actions.map((action) => action.do)).toEqual(["close-watch", "notify", "watch"]);
    expect(again.actions.at(-1)).toEqual({ do: "watch", effort: 2, from: "10" });
  }
});

test("a server that lags is waited for, and one that was restored from a backup is believed in the end", () => {
  let state = stepReflector(watching, { is: "relist" }).state;
  const answers: unknown[] = [];
  for (let round = 0; round < 6; round++) {
    const ending = { how: "refused", code: 504, why: "too large resource version", isLagging: true } as const;
    state = stepReflector(state, { is: "ended", effort: state.effort, ending }).state;
    const next = stepReflector(state, { is: "due", effort: state.effort });
    answers.push(next.actions.map((action) => (action.do === "list" ? action.notOlderThan : action.do)));
    state = next.state;
  }
  expect(answers).toEqual([["10"], ["10"], ["10"], ["10"], [undefined], [undefined]]);
});

test("a kind that has just come is asked again soon, once; after that the delay that the server asked for is obeyed", () => {
  const busy = { how: "refused", code: 429, why: "storage is (re)initializing", retryInMs: 1_000 } as const;
  const waits = (from: typeof start) => {
    const ended = stepReflector(from, { is: "ended", effort: from.effort, ending: busy });
    const wait = ended.actions.find((action) => action.do === "wait");
    return { ended, ms: wait?.do === "wait" ? wait.atLeastMs : undefined };
  };
  const first = waits(start);
  const again = stepReflector(first.ended.state, { is: "due", effort: first.ended.state.effort }).state;
  expect([first.ms, waits(again).ms, waits(watching).ms]).toEqual([300, 1_000, 1_000]);
});
