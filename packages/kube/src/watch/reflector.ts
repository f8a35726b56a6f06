// Keeps a store equal to what the server has of one subject. Thin: what to do next is decided in reflector-step.ts.

import type { Call, Line } from "../breaker/line.ts";
import type { Cancel, Clock } from "../clock.ts";
import type { ProbeLimit } from "./probe-limit.ts";
import { type Action, type Input, initialState, type State } from "./reflector-state.ts";
import { step } from "./reflector-step.ts";
import type { Store } from "./store.ts";
import type { Beginning, WatchSource } from "./watch-source.ts";

export type ReflectorObserver = {
  readonly told: (what: "relist" | "dead stream" | "refused" | "broken" | "malformed", why: string) => void;
  readonly vanished: () => void;
};

export type ReflectorParts<T> = {
  readonly source: WatchSource<T>;
  readonly line: Line;
  readonly store: Store<T>;
  readonly observer: ReflectorObserver;
  readonly clock: Clock;
  readonly random: () => number;
  readonly probes: ProbeLimit;
  /** What all reflectors learned about the server: whether it streams lists. */
  readonly server: { canStream: boolean };
};

/** Milliseconds since something happened; absent when it never did. */
export type Ages = { readonly line?: number; readonly list?: number; readonly probe?: number };

const quietMs = 30_000;
const backoffMs = { first: 100, most: 30_000 };
const pageSize = { usual: 250, least: 10 };

export class Reflector<T> {
  readonly #parts: ReflectorParts<T>;
  #state: State;
  #connection = new AbortController();
  #call: Call | undefined;
  #timer: Cancel | undefined;
  #pageSize = pageSize.usual;
  #at: { line?: number; list?: number; probe?: number } = {};
  #isStopped = false;

  constructor(parts: ReflectorParts<T>) {
    this.#parts = parts;
    this.#state = initialState(parts.server.canStream);
  }

  start(): void {
    this.#input({ is: "start" });
  }

  /** The store stays as it is. */
  stop(): void {
    this.#isStopped = true;
    this.#hangUp();
    this.#parts.line.withdraw();
  }

  /** Somebody has reason to believe that the stream is dead: asks the server at once. */
  doubt(): void {
    this.#input({ is: "doubted" });
  }

  relist(): void {
    this.#input({ is: "relist" });
  }

  get isWatching(): boolean {
    return this.#state.at === "watching";
  }

  get ages(): Ages {
    const now = this.#parts.clock.monotonic();
    return Object.fromEntries(Object.entries(this.#at).map(([what, at]) => [what, now - at]));
  }

  #input(input: Input<T>): void {
    if (this.#isStopped) return;
    const { state, actions } = step(this.#state, input);
    this.#state = state;
    this.#parts.server.canStream &&= state.canStream;
    for (const action of actions) this.#perform(action);
  }

  #perform(action: Action<T>): void {
    const { store, observer } = this.#parts;
    switch (action.do) {
      case "list":
        return this.#list(action);
      case "watch":
        return void this.#follow(action.effort, { from: "version", version: action.from });
      case "probe":
        return void this.#probe(action.effort, action.from);
      case "hang-up":
        return this.#hangUp();
      case "wait":
        return this.#wait(action);
      case "collect":
        return store.collect(action.frame);
      case "swap":
        this.#at.list = this.#parts.clock.monotonic();
        return store.swap(action.version);
      case "change":
        return store.change(action.frame);
      case "advance":
        return store.advance(action.version);
      case "vanish":
        store.clear();
        return observer.vanished();
      case "tell":
        return observer.told(action.what, action.why);
    }
  }

  #list({ effort, by, notOlderThan: version, continue: more }: Action<T> & { do: "list" }): void {
    if (more === undefined) this.#parts.store.begin();
    if (by === "pages")
      void this.#page(effort, { ...(version && { notOlderThan: version }), ...(more && { continue: more }) });
    else void this.#follow(effort, { from: "list", ...(version && { version }) });
  }

  async #follow(effort: number, beginning: Beginning): Promise<void> {
    const { source, clock, random } = this.#parts;
    const { signal } = this.#connection;
    const { sender } = this.#dial();
    this.#watchSilence(effort);
    // Spread, so that streams that began together do not all end together.
    const timeoutSeconds = 240 + Math.floor(50 * random());
    const ending = await source.follow(sender, { ...beginning, timeoutSeconds, signal }, (frames) => {
      this.#at.line = clock.monotonic();
      for (const frame of frames) this.#input({ is: "frame", effort, frame });
    });
    this.#input({ is: "ended", effort, ending });
  }

  async #page(effort: number, from: { readonly notOlderThan?: string; readonly continue?: string }): Promise<void> {
    const { source, store } = this.#parts;
    const { signal } = this.#connection;
    const { sender } = from.continue === undefined ? this.#dial() : (this.#call ?? this.#dial());
    const page = await source.page(sender, { ...from, limit: this.#pageSize }, signal);
    if (signal.aborted) return;
    if ("how" in page) return this.#input({ is: "ended", effort, ending: page });
    if (page.isLarge) this.#pageSize = Math.max(pageSize.least, Math.floor(this.#pageSize / 2));
    for (const item of page.items) store.collect(item);
    this.#input({ is: "page", effort, version: page.version, ...(page.continue && { continue: page.continue }) });
  }

  async #probe(effort: number, from: string): Promise<void> {
    const { source, probes, clock } = this.#parts;
    const { signal } = this.#connection;
    const { sender } = this.#call ?? this.#dial();
    const saw = await probes.run(signal, (limited) => source.probe(sender, from, limited));
    this.#at.probe = clock.monotonic();
    if (!signal.aborted) this.#input({ is: "probed", effort, saw });
  }

  #dial(): Call {
    this.#call?.end();
    this.#call = this.#parts.line.begin();
    return this.#call;
  }

  #hangUp(): void {
    this.#timer?.();
    this.#timer = undefined;
    this.#connection.abort();
    this.#connection = new AbortController();
  }

  #wait({ effort, failures, atLeastMs }: Action<T> & { do: "wait" }): void {
    const { clock, random } = this.#parts;
    const due = () => this.#input({ is: "due", effort });
    if (this.#call?.park(due) === true) return;
    const backoff = Math.min(backoffMs.most, backoffMs.first * 2 ** (failures - 1)) * (0.8 + 0.4 * random());
    this.#timer = clock.schedule(Math.max(backoff, atLeastMs), due);
  }

  // One timer for each connection, set again when it fires: a busy stream costs no timers.
  #watchSilence(effort: number): void {
    const { clock } = this.#parts;
    const since = clock.monotonic();
    const look = () => {
      const silentMs = clock.monotonic() - Math.max(since, this.#at.line ?? since);
      this.#timer = clock.schedule(silentMs >= quietMs ? quietMs : quietMs - silentMs, look);
      if (silentMs >= quietMs) this.#input({ is: "quiet", effort, forMs: silentMs });
    };
    this.#timer?.();
    this.#timer = clock.schedule(quietMs, look);
  }
}
