// Keeps a store in sync with the server. `stepReflector` decides each step.

import {
  initialReflectorState,
  type ListPageRequest,
  pauseAfter,
  type ReflectorAction,
  type ReflectorInput,
  type ReflectorState,
  stepReflector,
} from "@virt/objects";
import type { Breakers, GuardedAttempt } from "../circuitbreaker/breaker.ts";
import { type ApiReader, guardClient } from "../client/api-client.ts";
import type { Cancel, Clock } from "../clock.ts";
import type { Store } from "./store.ts";
import type { LeastVersion, ProbeLimit, WatchSource, WatchStart } from "./watch-source.ts";

export type ReflectorObserver = {
  readonly warned: (what: "relist" | "dead stream" | "refused" | "broken" | "malformed", why: string) => void;
  readonly vanished: () => void;
  /** The store was emptied because its objects are too large. It is filled again when they fit. */
  readonly overflowed: (why: string) => void;
  /** The server responds again after failures. */
  readonly recovered: () => void;
};

export type ReflectorOptions<T> = {
  readonly source: WatchSource<T>;
  readonly client: ApiReader;
  readonly breakers: Breakers;
  readonly caller: string;
  readonly store: Store<T>;
  readonly observer: ReflectorObserver;
  readonly clock: Clock;
  readonly random: () => number;
  readonly probes: ProbeLimit;
  /** State that all reflectors share: whether the server can stream lists. */
  readonly server: { canStream: boolean };
};

/** Milliseconds since the last line, list and probe. Absent before the first one. */
export type ReflectorAges = { readonly line?: number; readonly list?: number; readonly probe?: number };

const quietMs = 30_000;
const backoffMs = { first: 100, most: 30_000 };
const pageSize = 250;
/** The memory limit for one reflector. Thousands of nodes need about a third of it. */
const budgetBytes = 16_000_000;

export class Reflector<T> {
  readonly #parts: ReflectorOptions<T>;
  #state: ReflectorState;
  #connection = new AbortController();
  #attempt: GuardedAttempt | undefined;
  #timer: Cancel | undefined;
  #at: { line?: number; list?: number; probe?: number } = {};
  #isStopped = false;

  constructor(parts: ReflectorOptions<T>) {
    this.#parts = parts;
    this.#state = initialReflectorState({ canStream: parts.server.canStream, pageSize });
  }

  start(): void {
    this.#input({ is: "start" });
  }

  /** Ends the connection. The store keeps its items. */
  stop(): void {
    this.#isStopped = true;
    this.#hangUp();
    this.#parts.breakers.withdraw(this.#parts.caller);
  }

  /** Checks the stream with a request, because the caller suspects that it is dead. */
  doubt(): void {
    this.#input({ is: "doubted" });
  }

  relist(): void {
    this.#input({ is: "relist" });
  }

  get ages(): ReflectorAges {
    const now = this.#parts.clock.monotonic();
    return Object.fromEntries(Object.entries(this.#at).map(([what, at]) => [what, now - at]));
  }

  #input(input: ReflectorInput<T>): void {
    if (this.#isStopped) return;
    const { state, actions } = stepReflector(this.#state, input);
    const isRecovered = this.#state.failures > 0 && state.failures === 0;
    this.#state = state;
    this.#parts.server.canStream &&= state.canStream;
    for (const action of actions) this.#perform(action);
    if (isRecovered) this.#parts.observer.recovered();
  }

  #perform(action: ReflectorAction<T>): void {
    const { store, observer } = this.#parts;
    switch (action.do) {
      case "list":
        return this.#list(action);
      case "watch":
        return void this.#follow(action.effort, { from: "version", version: action.from });
      case "probe":
        return void this.#probe(action.effort, action.from);
      case "close-watch":
        return this.#hangUp();
      case "wait":
        return this.#wait(action);
      case "collect":
        store.collect(action.frame);
        return this.#checkBudget();
      case "swap":
        this.#at.list = this.#parts.clock.monotonic();
        return store.swap(action.version);
      case "change":
        store.change(action.frame);
        return this.#checkBudget();
      case "advance":
        return store.advance(action.version);
      case "overflow":
        store.clear();
        return observer.overflowed(action.why);
      case "vanish":
        store.clear();
        return observer.vanished();
      case "notify":
        return observer.warned(action.what, action.why);
    }
  }

  #list({ effort, by, page, notOlderThan: version }: ReflectorAction<T> & { do: "list" }): void {
    if (page.continue === undefined) this.#parts.store.begin();
    if (by === "pages") void this.#page(effort, { ...page, ...(version && { notOlderThan: version }) });
    else void this.#follow(effort, { from: "list", ...(version && { version }) });
  }

  async #follow(effort: number, beginning: WatchStart): Promise<void> {
    const { source, clock, random } = this.#parts;
    const { signal } = this.#connection;
    const client = this.#guard(this.#dial());
    this.#watchSilence(effort);
    // Random, so that streams that started at the same time do not all end at the same time.
    const timeoutSeconds = 240 + Math.floor(50 * random());
    const ending = await source.follow(client, { ...beginning, timeoutSeconds, signal }, (frames) => {
      this.#at.line = clock.monotonic();
      for (const frame of frames) this.#input({ is: "frame", effort, frame });
    });
    this.#input({ is: "ended", effort, ending });
  }

  async #page(effort: number, request: ListPageRequest & LeastVersion): Promise<void> {
    const { source, store } = this.#parts;
    const { signal } = this.#connection;
    const attempt = request.continue === undefined ? this.#dial() : (this.#attempt ?? this.#dial());
    const page = await source.page(this.#guard(attempt), request, signal);
    if (signal.aborted) return;
    if ("how" in page) {
      if (page.how === "too large") return this.#input({ is: "page too large", effort, why: this.#bytesText() });
      return this.#input({ is: "ended", effort, ending: page });
    }
    for (const item of page.items) store.collect(item);
    this.#checkBudget();
    this.#input({ is: "page", effort, ...page });
  }

  async #probe(effort: number, from: string): Promise<void> {
    const { source, probes, clock } = this.#parts;
    const { signal } = this.#connection;
    const client = this.#guard(this.#attempt ?? this.#dial());
    const saw = await probes.run(signal, (limited) => source.probe(client, from, limited));
    this.#at.probe = clock.monotonic();
    if (!signal.aborted) this.#input({ is: "probed", effort, saw });
  }

  #checkBudget(): void {
    if (this.#parts.store.bytes > budgetBytes) this.#input({ is: "overflowed", why: this.#bytesText() });
  }

  #bytesText(): string {
    const { bytes, largestNamespace } = this.#parts.store;
    const [size, most] = [bytes, budgetBytes].map((count) => (count / 1e6).toFixed(1));
    const share = largestNamespace && largestNamespace.bytes > bytes / 2 ? "most of it" : "the largest part";
    const where = largestNamespace ? `, ${share} in namespace ${largestNamespace.name},` : ",";
    return `${size} MB so far${where} and no more than ${most} MB are kept in memory`;
  }

  #dial(): GuardedAttempt {
    this.#attempt?.end();
    this.#attempt = this.#parts.breakers.begin(this.#parts.caller);
    return this.#attempt;
  }

  #guard(attempt: GuardedAttempt): ApiReader {
    return guardClient(this.#parts.client, attempt);
  }

  #hangUp(): void {
    this.#timer?.();
    this.#timer = undefined;
    this.#connection.abort();
    this.#connection = new AbortController();
  }

  #wait({ effort, failures, atLeastMs }: ReflectorAction<T> & { do: "wait" }): void {
    const { clock, random } = this.#parts;
    const due = () => this.#input({ is: "due", effort });
    if (this.#attempt?.park(due) === true) return;
    const backoff = pauseAfter(failures, backoffMs) * (0.8 + 0.4 * random());
    this.#timer = clock.schedule(Math.max(backoff, atLeastMs), due);
  }

  // Uses a single timer per connection and restarts it only when it fires, so that a busy stream costs nothing.
  #watchSilence(effort: number): void {
    const { clock } = this.#parts;
    const since = clock.monotonic();
    const check = () => {
      const silentMs = clock.monotonic() - Math.max(since, this.#at.line ?? since);
      this.#timer = clock.schedule(silentMs >= quietMs ? quietMs : quietMs - silentMs, check);
      if (silentMs >= quietMs) this.#input({ is: "quiet", effort, forMs: silentMs });
    };
    this.#timer?.();
    this.#timer = clock.schedule(quietMs, check);
  }
}
