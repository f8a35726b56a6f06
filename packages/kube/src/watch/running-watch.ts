// One wanted watch: finds out how its kind is served, reflects it, and waits for it where it is not served yet.

import type { KubeObject } from "@virt/engine";
import type { Line } from "../breaker/line.ts";
import type { Clock } from "../clock.ts";
import type { Discovery } from "../wire/discovery.ts";
import type { Resource } from "../wire/request.ts";
import type { ProbeLimit } from "./probe-limit.ts";
import { isAllInMetadata, isSame, keepsOwners, type Projection, project } from "./projection.ts";
import { type Ages, Reflector } from "./reflector.ts";
import { type Change, Store } from "./store.ts";
import { WatchSource } from "./watch-source.ts";

/** One stream: as narrow as whoever wants it can say. */
export type WatchSpec = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly labelSelector?: string;
  readonly projection: Projection;
};

export type Watch = {
  readonly spec: WatchSpec;
  readonly store: Store<KubeObject>;
  /** "starting": nothing is known yet. "not served": the server has no such kind, which is a fact. */
  readonly state: "starting" | "synced" | "not served";
  /** Why there is no list yet, where the server said so. */
  readonly trouble: string | undefined;
  readonly ages: Ages;
  readonly doubt: () => void;
  readonly relist: () => void;
};

export type WatchObserver = {
  readonly changed: (spec: WatchSpec, change: Change<KubeObject>) => void;
  /** The kind is served now, or not any more, or its first list is complete. */
  readonly stateChanged: (watch: Watch) => void;
  readonly told: (spec: WatchSpec, what: string, why: string) => void;
  readonly handlerFailed: (error: unknown) => void;
};

export type RunningParts = {
  readonly discovery: Discovery;
  readonly clock: Clock;
  readonly random: () => number;
  readonly observer: WatchObserver;
  readonly line: Line;
  readonly probes: ProbeLimit;
  readonly server: { canStream: boolean };
  /** A CRD of this group came or changed a moment ago: what is not served now may be in the next one. */
  readonly isGroupNew: boolean;
};

/** A CRD is announced some milliseconds before its path is served. */
const patienceMs = { first: 50, most: 30_000 };
const looksAfterNews = 8;

export class RunningWatch implements Watch {
  readonly spec: WatchSpec;
  readonly store: Store<KubeObject>;
  readonly #parts: RunningParts;
  readonly #stopped = new AbortController();
  #reflector: Reflector<KubeObject> | undefined;
  #isServed: boolean | undefined;
  /** Looks since the last news of the group, and how many of them are worth while. */
  #looks = 0;
  #mostLooks: number;
  #trouble: string | undefined;
  #cancelLook: (() => void) | undefined;
  #isLooking = false;

  constructor(spec: WatchSpec, parts: RunningParts) {
    this.spec = spec;
    this.#parts = parts;
    this.#mostLooks = parts.isGroupNew ? looksAfterNews : 0;
    const { observer } = parts;
    this.store = new Store({
      isEqual: isSame,
      onHandlerError: observer.handlerFailed,
      onSynced: () => observer.stateChanged(this),
    });
    this.store.subscribe((change) => observer.changed(spec, change));
    void this.#look();
  }

  get state(): Watch["state"] {
    if (this.#isServed === false) return "not served";
    return this.store.isSynced ? "synced" : "starting";
  }

  get trouble(): string | undefined {
    return this.state === "starting" ? this.#trouble : undefined;
  }

  get ages(): Ages {
    return this.#reflector?.ages ?? {};
  }

  doubt(): void {
    this.#reflector?.doubt();
  }

  relist(): void {
    this.#reflector?.relist();
  }

  stop(): void {
    this.#stopped.abort();
    this.#cancelLook?.();
    this.#reflector?.stop();
    this.#parts.line.withdraw();
  }

  lookAgain(): void {
    this.#looks = 0;
    this.#mostLooks = looksAfterNews;
    if (this.#reflector === undefined && !this.#isLooking) void this.#look();
  }

  async #look(): Promise<void> {
    this.#cancelLook?.();
    this.#isLooking = true;
    const { discovery, line } = this.#parts;
    const { signal } = this.#stopped;
    const call = line.begin();
    const found = await discovery.find(this.spec, signal, call.sender);
    this.#isLooking = false;
    // While nobody answers this waits like a stream does: somebody must be there to try.
    if (!signal.aborted && found.kind === "unavailable" && call.park(() => void this.#look())) return;
    call.end();
    if (signal.aborted) return;
    if (found.kind === "served") return this.#serve(found.resource);
    if (found.kind === "not-served") this.#setServed(false);
    const isKnown = found.kind === "not-served" && this.#looks >= this.#mostLooks;
    if (!isKnown) this.#lookLater();
  }

  #lookLater(): void {
    const { clock, discovery } = this.#parts;
    const delay = Math.min(patienceMs.most, patienceMs.first * 2 ** this.#looks++);
    this.#cancelLook = clock.schedule(delay, () => {
      discovery.forgetVersion(this.spec.apiVersion);
      void this.#look();
    });
  }

  #serve(resource: Resource): void {
    const { namespace, name, labelSelector, projection } = this.spec;
    const selection = {
      ...(labelSelector && { labelSelector }),
      ...(name && { fieldSelector: `metadata.name=${name}` }),
    };
    const content = isAllInMetadata(projection) ? "metadata" : "full";
    const owners = keepsOwners(projection) ? {} : ({ owners: "ignored" } as const);
    const subject = { resource, selection, content, ...owners, ...(namespace && { namespace }) } as const;
    const source = new WatchSource(subject, (object) => project(object, projection));
    const observer = {
      told: (what: string, why: string) => {
        this.#trouble = why;
        this.#parts.observer.told(this.spec, what, why);
      },
      vanished: () => this.#vanished(),
    };
    this.#setServed(true);
    this.#reflector = new Reflector({ ...this.#parts, source, store: this.store, observer });
    this.#reflector.start();
  }

  #vanished(): void {
    this.#reflector?.stop();
    this.#reflector = undefined;
    this.#parts.discovery.forget(groupOf(this.spec.apiVersion));
    this.#setServed(false);
    this.lookAgain();
  }

  #setServed(isServed: boolean): void {
    const isNews = this.#isServed !== isServed;
    this.#isServed = isServed;
    if (isNews) this.#parts.observer.stateChanged(this);
  }
}

export function groupOf(apiVersion: string): string {
  return apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
}
