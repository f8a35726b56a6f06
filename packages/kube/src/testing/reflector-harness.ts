// A model of an API server and an unreliable network for testing the reflector.

import {
  initialReflectorState,
  type ReflectorAction,
  type ReflectorInput,
  type ReflectorState,
  type StreamEnd,
  stepReflector,
  type WatchFrame,
} from "@virt/objects";
import { Store } from "../cache/store.ts";

type Event = { readonly version: number; readonly key: string; readonly type: "put" | "drop" };

type Connection = { readonly effort: number; queue: WatchFrame<number>[]; cursor: number; isSilent: boolean };
type Pages = {
  readonly effort: number;
  readonly snapshot: readonly [string, number][];
  readonly version: number;
  at: number;
};

/** The value of an item is the version at which it was written. */
export class ReflectorHarness {
  readonly regressions: string[] = [];
  readonly #store = new Store<number>({
    isEqual: (a, b) => a === b,
    bytesOf: () => 1,
    onHandlerError: () => undefined,
  });
  readonly #delivered = new Map<string, number>();
  readonly #log: Event[] = [];
  readonly #canStream: boolean;
  #objects = new Map<string, number>();
  #version = 1;
  #compacted = 0;
  #state: ReflectorState;
  #connection: Connection | undefined;
  #pages: Pages | undefined;
  #wait: number | undefined;
  #probe: { readonly effort: number; readonly from: number } | undefined;
  #old: Connection | undefined;

  constructor(canStream: boolean) {
    this.#canStream = canStream;
    this.#state = initialReflectorState({ canStream: true, pageSize: 20 });
    this.#store.subscribe(({ key, after }) => {
      if (after === undefined) return;
      if (after < (this.#delivered.get(key) ?? 0))
        this.regressions.push(`${key}: ${this.#delivered.get(key)} -> ${after}`);
      this.#delivered.set(key, after);
    });
    this.#input({ is: "start" });
  }

  storeContents(): unknown {
    return Object.fromEntries([...this.#store.keys()].toSorted().map((key) => [key, this.#store.get(key)]));
  }

  serverContents(): unknown {
    return Object.fromEntries([...this.#objects].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  efforts(): number {
    return [this.#connection, this.#pages, this.#wait].filter((one) => one !== undefined).length;
  }

  runStep(number: number): void {
    const key = `k${Math.floor(number / 21) % 4}`;
    const steps = [
      () => this.#write(key),
      () => this.#write(key),
      () => this.#remove(key),
      () => this.#deliver(this.#connection),
      () => this.#deliver(this.#connection),
      () => this.#deliver(this.#connection),
      () => this.#answerPage("good"),
      () => this.#answerPage("good"),
      () => this.#answerPage(number % 42 < 21 ? "expired" : "lost"),
      () => this.#fire(),
      () => this.#end({ how: "whole" }),
      () => this.#end({ how: "broken", why: "reset" }),
      () => this.#end({ how: "refused", code: number % 42 < 21 ? 503 : 429, why: "busy", retryInMs: 5 }),
      () => this.#corrupt(),
      () => this.#silence(),
      () => this.#input({ is: "quiet", effort: this.#state.effort, forMs: number % 42 < 21 ? 30_000 : 150_000 }),
      () => this.#answerProbe(number % 42 < 21),
      () => void (this.#compacted = this.#version),
      () => this.#bookmark(),
      () => this.#deliver(this.#old), // a closed connection still delivers
      () => this.#input(number % 42 < 21 ? { is: "doubted" } : { is: "relist" }),
      () => this.#input({ is: "overflowed", why: "too much" }),
      () => this.#answerPage("too large"),
    ];
    steps[number % steps.length]?.();
  }

  heal(): void {
    for (let round = 0; round < 10_000; round++) {
      const forMs = round % 2 === 0 ? 30_000 : 150_000;
      if (this.#connection?.isSilent) this.#input({ is: "quiet", effort: this.#state.effort, forMs });
      this.#answerProbe(true);
      this.#fire();
      this.#answerPage("good");
      const isBusy = this.#deliver(this.#connection);
      if (!isBusy && this.#connection !== undefined && !this.#connection.isSilent) return;
    }
    throw new Error("the reflector never comes to rest");
  }

  #write(key: string): void {
    this.#version++;
    this.#objects.set(key, this.#version);
    this.#log.push({ version: this.#version, key, type: "put" });
  }

  #remove(key: string): void {
    if (this.#objects.delete(key)) this.#log.push({ version: ++this.#version, key, type: "drop" });
  }

  #deliver(connection: Connection | undefined): boolean {
    if (connection === undefined || connection.isSilent) return false;
    const frame = connection.queue.shift() ?? this.#nextEvent(connection);
    if (frame !== undefined) this.#input({ is: "frame", effort: connection.effort, frame });
    return frame !== undefined;
  }

  #nextEvent(connection: Connection): WatchFrame<number> | undefined {
    const event = this.#log.find(({ version }) => version > connection.cursor);
    if (event === undefined) return undefined;
    connection.cursor = event.version;
    return { type: event.type, key: event.key, version: `${event.version}`, item: event.version };
  }

  /** Sends a bookmark. In the middle of a list, it must have no effect. */
  #bookmark(): void {
    const { effort, queue, cursor, isSilent } = this.#connection ?? { effort: 0, queue: [], cursor: 0, isSilent: true };
    const isLive = !isSilent && (queue.length > 0 || cursor === this.#version);
    if (isLive)
      this.#input({
        is: "frame",
        effort,
        frame: { type: "bookmark", version: `${this.#version}`, isInitialEnd: false },
      });
  }

  #end(ending: StreamEnd): void {
    const effort = this.#connection?.effort ?? this.#pages?.effort;
    if (effort === undefined) return;
    this.#connection = undefined;
    this.#pages = undefined;
    this.#input({ is: "ended", effort, ending });
  }

  #corrupt(): void {
    if (this.#connection === undefined) return;
    this.#input({ is: "frame", effort: this.#connection.effort, frame: { type: "malformed", why: "half a line" } });
  }

  #silence(): void {
    if (this.#connection !== undefined) this.#connection.isSilent = true;
  }

  #fire(): void {
    const effort = this.#wait;
    if (effort === undefined) return;
    this.#wait = undefined;
    this.#input({ is: "due", effort });
  }

  #answerPage(how: "good" | "expired" | "lost" | "too large"): void {
    const pages = this.#pages;
    if (pages === undefined) return;
    if (how === "expired") return this.#end({ how: "refused", code: 410, why: "the continue token is too old" });
    if (how === "lost") return this.#end({ how: "broken", why: "reset" });
    if (how === "too large") return this.#input({ is: "page too large", effort: pages.effort, why: "too much" });
    const part = pages.snapshot.slice(pages.at, pages.at + 2);
    pages.at += 2;
    for (const [key, version] of part) this.#store.collect({ type: "put", key, version: `${version}`, item: version });
    const isLast = pages.at >= pages.snapshot.length;
    if (isLast) this.#pages = undefined;
    this.#input({
      is: "page",
      effort: pages.effort,
      version: `${pages.version}`,
      ...(!isLast && { continue: "more" }),
    });
  }

  #answerProbe(doesAnswer: boolean): void {
    const probe = this.#probe;
    if (probe === undefined) return;
    this.#probe = undefined;
    const truth = probe.from < this.#compacted ? "expired" : probe.from < this.#version ? "newer" : "nothing";
    this.#input({ is: "probed", effort: probe.effort, saw: doesAnswer ? truth : "no answer" });
  }

  #input(input: ReflectorInput<number>): void {
    const { state, actions } = stepReflector(this.#state, input);
    this.#state = state;
    for (const action of actions) this.#perform(action);
  }

  #perform(action: ReflectorAction<number>): void {
    switch (action.do) {
      case "list":
        return this.#list(action);
      case "watch":
        return this.#watch(action.effort, Number(action.from));
      case "probe":
        this.#probe = { effort: action.effort, from: Number(action.from) };
        return;
      case "close-watch":
        this.#old = this.#connection ?? this.#old;
        this.#connection = undefined;
        this.#pages = undefined;
        return;
      case "wait":
        this.#wait = action.effort;
        return;
      case "collect":
        return this.#store.collect(action.frame);
      case "swap":
        return this.#store.swap(action.version);
      case "change":
        return this.#store.change(action.frame);
      case "advance":
        return this.#store.advance(action.version);
      case "overflow":
      case "vanish":
        return this.#store.clear();
      case "notify":
        return;
    }
  }

  #list(action: ReflectorAction<number> & { do: "list" }): void {
    this.#wait = undefined;
    if (action.page.continue !== undefined) return; // the snapshot is kept
    this.#store.begin();
    const snapshot = [...this.#objects];
    const { effort } = action;
    if (action.by === "pages") {
      this.#pages = { effort, snapshot, version: this.#version, at: 0 };
      return;
    }
    if (!this.#canStream)
      return this.#input({ is: "ended", effort, ending: { how: "refused", code: 422, why: "forbidden" } });
    const frames = snapshot.map(
      ([key, version]) => ({ type: "put", key, version: `${version}`, item: version }) as const,
    );
    const end = { type: "bookmark", version: `${this.#version}`, isInitialEnd: true } as const;
    this.#connection = { effort, queue: [...frames, end], cursor: this.#version, isSilent: false };
  }

  #watch(effort: number, from: number): void {
    this.#wait = undefined;
    this.#connection = { effort, queue: [], cursor: from, isSilent: false };
    if (from < this.#compacted) this.#end({ how: "refused", code: 410, why: "too old" });
  }
}
