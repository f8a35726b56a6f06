import { expect, test } from "vitest";
import { initialReflectorState, type ReflectorState } from "./reflector-state.ts";
import { stepReflector } from "./reflector-step.ts";

const start = stepReflector(initialReflectorState({ canStream: true, pageSize: 250 }), { is: "start" }).state;
const watching = stepReflector(start, {
  is: "frame",
  effort: 1,
  frame: { type: "bookmark", version: "10", isInitialEnd: true },
}).state;

test("lists pages from a server without streaming lists", () => {
  const refused = stepReflector(start, {
    is: "ended",
    effort: 1,
    ending: { how: "refused", code: 422, why: "sendInitialEvents is forbidden" },
  });
  expect(refused.actions.at(-1)).toEqual({ do: "list", effort: 2, by: "pages", page: { limit: 250 } });
  const old = stepReflector(start, {
    is: "frame",
    effort: 1,
    frame: { type: "error", code: 500, message: "etcd too old" },
  });
  expect(old.actions.at(-1)).toEqual({ do: "list", effort: 2, by: "pages", page: { limit: 250 } });
});

test("resumes an ended stream at the last version", () => {
  const bookmarked = stepReflector(watching, {
    is: "frame",
    effort: 1,
    frame: { type: "bookmark", version: "12", isInitialEnd: false },
  }).state;
  const again = stepReflector(bookmarked, { is: "ended", effort: 1, ending: { how: "whole" } });
  expect(again.actions).toEqual([{ do: "watch", effort: 2, from: "12" }]);
});

test("a kind that is no longer served is removed until the next start", () => {
  const gone = stepReflector(watching, { is: "ended", effort: 1, ending: { how: "refused", code: 404, why: "" } });
  expect(gone.actions).toEqual([{ do: "close-watch" }, { do: "vanish" }]);
  for (const input of [{ is: "doubted" }, { is: "relist" }, { is: "due", effort: gone.state.effort }] as const) {
    expect(stepReflector(gone.state, input).actions).toEqual([]);
  }
  expect(stepReflector(gone.state, { is: "start" }).actions).toEqual([
    { do: "list", effort: 3, by: "stream", page: { limit: 250 } },
  ]);
});

test("probes a silent stream once at a time, and replaces it after 150 seconds", () => {
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

test("replaces a stream that a probe shows as outdated", () => {
  const { state } = stepReflector(watching, { is: "doubted" });
  for (const saw of ["newer", "expired", "no answer"] as const) {
    const again = stepReflector(state, { is: "probed", effort: 1, saw });
    expect(again.actions.map((action) => action.do)).toEqual(["close-watch", "notify", "watch"]);
    expect(again.actions.at(-1)).toEqual({ do: "watch", effort: 2, from: "10" });
  }
});

test("waits for a lagging server, then accepts an older version", () => {
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

test("retries a new kind soon once, then respects Retry-After", () => {
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

const listing = stepReflector(initialReflectorState({ canStream: false, pageSize: 250 }), { is: "start" }).state;
const requested = (state: ReflectorState, input: Parameters<typeof stepReflector>[1]) =>
  stepReflector(state, input).actions.at(-1);

test("requests pages until one has no continue token", () => {
  const more = stepReflector(listing, { is: "page", effort: 1, version: "7", continue: "token" });
  expect(more.actions).toEqual([{ do: "list", effort: 1, by: "pages", page: { limit: 250, continue: "token" } }]);
  const complete = stepReflector(more.state, { is: "page", effort: 1, version: "7" });
  expect(complete.actions).toEqual([
    { do: "swap", version: "7" },
    { do: "watch", effort: 2, from: "7" },
  ]);
});

test("requests an eighth of the objects after a page that is too large", () => {
  const { state } = stepReflector(listing, { is: "page", effort: 1, version: "7", continue: "token" });
  const smaller = stepReflector(state, { is: "page too large", effort: 1, why: "" });
  expect(smaller.actions).toMatchObject([{ do: "list", page: { limit: 31, continue: "token" } }]);
  const next = { is: "page", effort: 1, version: "7", continue: "next" } as const;
  expect(requested(smaller.state, next)).toMatchObject({ do: "list", page: { limit: 31, continue: "next" } });
});

test("a single object that is too large empties the store for 30 seconds", () => {
  let { state } = stepReflector(listing, { is: "page too large", effort: 1, why: "too much" });
  for (const limit of [3, 1]) {
    const next = stepReflector(state, { is: "page too large", effort: 1, why: "too much" });
    expect(next.actions).toMatchObject([{ do: "list", page: { limit } }]);
    ({ state } = next);
  }
  expect(stepReflector(state, { is: "page too large", effort: 1, why: "too much" }).actions).toEqual([
    { do: "close-watch" },
    { do: "overflow", why: "too much" },
    { do: "wait", effort: 2, failures: 1, atLeastMs: 30_000 },
  ]);
});

test("halves the page size after a large page, down to ten", () => {
  const large = { is: "page", effort: 1, version: "7", continue: "token", isLarge: true } as const;
  const limits: unknown[] = [];
  let { state } = stepReflector(listing, large);
  for (let count = 0; count < 6; count++) {
    limits.push(state.page.limit);
    ({ state } = stepReflector(state, large));
  }
  expect(limits).toEqual([125, 62, 31, 15, 10, 10]);
});
