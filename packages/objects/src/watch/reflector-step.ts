// Decides the next step of a reflector: list, watch, probe or wait. No I/O, so that tests can try every fault.

import { isOlder, nextPage, type PageAnswer, type WatchFrame } from "./list-watch.ts";
import {
  initialReflectorState,
  type ProbeResult,
  type ReflectorAction,
  type ReflectorInput,
  type ReflectorState,
  type StreamEnd,
} from "./reflector-state.ts";

/** The next state and the actions that lead to it. */
export type ReflectorStep<T> = { readonly state: ReflectorState; readonly actions: readonly ReflectorAction<T>[] };

/**
 * A stream without data for this long counts as dead, even if a probe succeeded. Bookmarks are not sent regularly
 * enough to rely on.
 */
const deadAfterMs = 150_000;
/** How many retries to allow a server that lags behind. It catches up within seconds, unless it was restored from a backup. */
const patienceWithLag = 5;

/** Returns the next state and the actions to take. Inputs of an earlier effort change nothing. */
export function stepReflector<T>(state: ReflectorState, input: ReflectorInput<T>): ReflectorStep<T> {
  if ("effort" in input && input.effort !== state.effort) return stay(state);
  if (state.at === "gone" && input.is !== "start") return stay(state);
  switch (input.is) {
    case "start":
      return list(state);
    case "overflowed":
      return overflowed(state, input.why);
    case "relist":
      return list(state, [{ do: "close-watch" }, { do: "notify", what: "relist", why: "asked for" }]);
    case "due":
      return state.needs === "watch" && state.seen !== undefined ? watch(state, state.seen) : list(state);
    case "frame":
      return state.at === "listing" ? listed(state, input.frame) : watched(state, input.frame);
    case "page":
      return paged(state, input);
    case "page too large":
      return tooLarge(state, input.why);
    case "ended":
      return ended(state, input.ending);
    case "quiet":
      return quiet(state, input.forMs);
    case "doubted":
      return probe(state);
    case "probed":
      return probed(state, input.saw);
  }
}

function stay<T>(state: ReflectorState): ReflectorStep<T> {
  return { state, actions: [] };
}

function list<T>(from: ReflectorState, before: readonly ReflectorAction<T>[] = []): ReflectorStep<T> {
  const effort = from.effort + 1;
  const page = { limit: from.page.limit };
  const state: ReflectorState = { ...from, at: "listing", needs: "list", effort, page, isProbing: false };
  return { state, actions: [...before, listAction(state)] };
}

function listAction<T>({ effort, canStream, seen, page }: ReflectorState): ReflectorAction<T> {
  const by = canStream ? "stream" : "pages";
  // A `continue` token already includes the version.
  const least = seen === undefined || page.continue !== undefined ? {} : { notOlderThan: seen };
  return { do: "list", effort, by, page, ...least };
}

function watch<T>(from: ReflectorState, version: string, before: readonly ReflectorAction<T>[] = []): ReflectorStep<T> {
  const effort = from.effort + 1;
  const state: ReflectorState = { ...from, at: "watching", needs: "watch", effort, isProbing: false };
  return { state, actions: [...before, { do: "watch", effort, from: version }] };
}

function listed<T>(state: ReflectorState, frame: WatchFrame<T>): ReflectorStep<T> {
  switch (frame.type) {
    case "put":
    case "drop":
      return { state, actions: [{ do: "collect", frame }] };
    case "bookmark":
      return frame.isInitialEnd ? complete(state, frame.version) : stay(state);
    case "error":
      return streamRefused(state, frame.code, frame.message);
    case "malformed":
      return failed(state, { what: "malformed", why: frame.why });
  }
}

// The server has the feature disabled (422) or its etcd is too old (an error frame). Uses pages from now on.
function streamRefused<T>(state: ReflectorState, code: number, why: string): ReflectorStep<T> {
  const isAboutUs = code === 401 || code === 403 || code === 410 || code === 429;
  if (state.canStream && !isAboutUs) return list({ ...state, canStream: false }, [{ do: "close-watch" }]);
  return failed(state, { what: "refused", why: `${code}: ${why}` });
}

function paged<T>(
  from: ReflectorState,
  answer: Exclude<PageAnswer, "too large"> & { readonly version: string },
): ReflectorStep<T> {
  const { is, page } = nextPage(from.page, answer);
  const state: ReflectorState = { ...from, page };
  return is === "more" ? { state, actions: [listAction(state)] } : complete(state, answer.version);
}

function tooLarge<T>(from: ReflectorState, why: string): ReflectorStep<T> {
  const { is, page } = nextPage(from.page, "too large");
  const state: ReflectorState = { ...from, page };
  return is === "more" ? { state, actions: [listAction(state)] } : overflowed(state, why);
}

function complete<T>(state: ReflectorState, version: string): ReflectorStep<T> {
  if (state.seen !== undefined && isOlder(version, state.seen)) {
    return failed(state, {
      what: "refused",
      why: `stale list: resourceVersion ${version} is older than ${state.seen}, which was already observed`,
    });
  }
  const swap = { do: "swap", version } as const;
  const settled: ReflectorState = { ...state, needs: "watch", seen: version, failures: 0, lags: 0 };
  // A streaming list continues as the watch. After pages, the watch needs a new connection.
  return state.canStream ? { state: { ...settled, at: "watching" }, actions: [swap] } : watch(settled, version, [swap]);
}

function watched<T>(state: ReflectorState, frame: WatchFrame<T>): ReflectorStep<T> {
  switch (frame.type) {
    case "put":
    case "drop":
      return { state: { ...state, seen: frame.version, failures: 0 }, actions: [{ do: "change", frame }] };
    case "bookmark":
      return {
        state: { ...state, seen: frame.version, failures: 0 },
        actions: [{ do: "advance", version: frame.version }],
      };
    case "error":
      return refused(state, { how: "refused", code: frame.code, why: frame.message });
    case "malformed":
      return failed(state, { what: "malformed", why: frame.why });
  }
}

function ended<T>(state: ReflectorState, ending: StreamEnd): ReflectorStep<T> {
  switch (ending.how) {
    case "whole":
      // The server ends every watch after a few minutes. A list that ends without its last bookmark is incomplete.
      if (state.at === "watching" && state.seen !== undefined) return watch(state, state.seen);
      return failed(state, { what: "broken", why: "the list ended early" });
    case "broken":
      return failed(state, { what: "broken", why: ending.why });
    case "refused":
      return refused(state, ending);
  }
}

function refused<T>(
  state: ReflectorState,
  { code, why, retryInMs = 0, isLagging = false }: StreamEnd & { how: "refused" },
): ReflectorStep<T> {
  if (code === 404)
    return {
      state: {
        ...initialReflectorState({ canStream: state.canStream, pageSize: state.page.limit }),
        at: "gone",
        effort: state.effort + 1,
      },
      actions: [{ do: "close-watch" }, { do: "vanish" }],
    };
  // The watch cannot resume from this version, but a new list must not be older.
  if (code === 410 && state.at === "watching")
    return list(state, [{ do: "close-watch" }, { do: "notify", what: "relist", why }]);
  if (code === 422 && state.at === "listing" && state.canStream) return streamRefused(state, code, why);
  const lags = isLagging ? state.lags + 1 : state.lags;
  const { seen: _given, ...unseen } = state;
  const believed: ReflectorState = lags >= patienceWithLag ? { ...unseen, needs: "list", lags: 0 } : { ...state, lags };
  // For a new kind, the server needs a few tenths of a second, but requests a delay of a full second. Ignores this
  // request once.
  const isNew = code === 429 && state.seen === undefined && state.failures === 0;
  const atLeastMs = isNew ? Math.min(retryInMs, newKindMs) : retryInMs;
  return failed(believed, { what: "refused", why: `${code}: ${why}`, atLeastMs });
}

const newKindMs = 300;

type ReflectorFailure = {
  readonly what: "refused" | "broken" | "malformed";
  readonly why: string;
  readonly atLeastMs?: number;
};

function failed<T>(state: ReflectorState, { what, why, atLeastMs = 0 }: ReflectorFailure): ReflectorStep<T> {
  const effort = state.effort + 1;
  const failures = state.failures + 1;
  const wait = { do: "wait", effort, failures, atLeastMs } as const;
  return {
    state: { ...state, at: "waiting", effort, failures, isProbing: false },
    actions: [{ do: "close-watch" }, { do: "notify", what, why }, wait],
  };
}

/** Objects may shrink or be deleted, but until then, each list transfers all of them. */
const relistAfterOverflowMs = 30_000;

function overflowed<T>(state: ReflectorState, why: string): ReflectorStep<T> {
  const effort = state.effort + 1;
  return {
    state: { ...state, at: "waiting", needs: "list", effort, isProbing: false },
    actions: [
      { do: "close-watch" },
      { do: "overflow", why },
      { do: "wait", effort, failures: 1, atLeastMs: relistAfterOverflowMs },
    ],
  };
}

function quiet<T>(state: ReflectorState, forMs: number): ReflectorStep<T> {
  const why = `no line for ${forMs / 1000} s`;
  if (state.at === "listing") return failed(state, { what: "broken", why }); // a list has no reason to pause
  return forMs >= deadAfterMs ? dead(state, why) : probe(state);
}

function probe<T>(state: ReflectorState): ReflectorStep<T> {
  if (state.at !== "watching" || state.isProbing || state.seen === undefined) return stay(state);
  return { state: { ...state, isProbing: true }, actions: [{ do: "probe", effort: state.effort, from: state.seen }] };
}

function probed<T>(state: ReflectorState, saw: ProbeResult): ReflectorStep<T> {
  const rested = { ...state, isProbing: false };
  if (saw === "nothing") return stay(rested);
  return dead(
    rested,
    saw === "newer" ? "a probe found changes that the watch did not deliver" : `probe result: ${saw}`,
  );
}

// Resuming returns missed changes. The server returns 410 if that is not possible.
function dead<T>(state: ReflectorState, why: string): ReflectorStep<T> {
  const before: readonly ReflectorAction<T>[] = [{ do: "close-watch" }, { do: "notify", what: "dead stream", why }];
  return state.at === "watching" && state.seen !== undefined ? watch(state, state.seen, before) : list(state, before);
}
