// Runs one watch: discovers how its kind is served, reflects it, and waits while the kind is not served.

import { type InformerSpec, type KubeObject, pauseAfter } from "@virt/objects";
import type { Breakers } from "../circuitbreaker/breaker.ts";
import { type ApiReader, guardClient } from "../client/api-client.ts";
import type { Discovery } from "../client/discovery.ts";
import { type Resource, resourceName } from "../client/request.ts";
import type { Clock } from "../clock.ts";
import {
  isAllInMetadata,
  isSameProjection,
  keepsOwners,
  projectedBytes,
  projectObject,
  SharedValues,
} from "./projection.ts";
import { Reflector, type ReflectorAges } from "./reflector.ts";
import { Store, type StoreChange } from "./store.ts";
import { type ProbeLimit, WatchSource } from "./watch-source.ts";

export type { InformerSpec };

/** The public view of an informer: its store, its state and its error. */
export type InformerState = {
  readonly spec: InformerSpec;
  readonly store: Store<KubeObject>;
  /** "starting": the first list is in progress. "not served": the API server does not have the kind. */
  readonly state: "starting" | "synced" | "not served";
  /** Why the first list failed, or why the server rejects another list. Objects that were already listed are kept. */
  readonly lastError: string | undefined;
  /** True if the objects exceed the memory limit. The store is then empty until they fit. */
  readonly isTooLarge: boolean;
  readonly ages: ReflectorAges;
  readonly doubt: () => void;
  readonly relist: () => void;
};

export type InformerObserver = {
  readonly changed: (spec: InformerSpec, change: StoreChange<KubeObject>) => void;
  /** Called when the kind becomes served or not served, when its first list completes, and when `lastError` changes. */
  readonly stateChanged: (informer: InformerState) => void;
  readonly warned: (spec: InformerSpec, what: string, why: string) => void;
  readonly handlerFailed: (error: unknown) => void;
};

export type InformerOptions = {
  readonly discovery: Discovery;
  readonly clock: Clock;
  readonly random: () => number;
  readonly observer: InformerObserver;
  readonly client: ApiReader;
  readonly breakers: Breakers;
  /** The name under which its connections wait for a circuit breaker. Unique in the process. */
  readonly caller: string;
  readonly probes: ProbeLimit;
  readonly server: { canStream: boolean };
  /** True shortly after a CRD of this group changed, when a missing kind may soon be served. */
  readonly isGroupNew: boolean;
};

/**
 * The delays between discovery attempts. The first is short, because a new CRD is served a few milliseconds after it is
 * visible.
 */
const patienceMs = { first: 50, most: 30_000 };
const discoveriesAfterChange = 8;
const schemaPatienceMs = 2_000;

export class Informer implements InformerState {
  readonly spec: InformerSpec;
  readonly store: Store<KubeObject>;
  readonly #parts: InformerOptions;
  readonly #stopped = new AbortController();
  #reflector: Reflector<KubeObject> | undefined;
  #isServed: boolean | undefined;
  /** The number of attempts since the group last changed. */
  #discoveries = 0;
  #mostDiscoveries: number;
  #lastError: string | undefined;
  #isTooLarge = false;
  #refusal: string | undefined;
  #cancelDiscovery: (() => void) | undefined;
  #isDiscovering = false;
  #resource: string | undefined;
  #cancelRelist: (() => void) | undefined;

  constructor(spec: InformerSpec, parts: InformerOptions) {
    this.spec = spec;
    this.#parts = parts;
    this.#mostDiscoveries = parts.isGroupNew ? discoveriesAfterChange : 0;
    const { observer } = parts;
    this.store = new Store({
      isEqual: isSameProjection,
      bytesOf: projectedBytes,
      onHandlerError: observer.handlerFailed,
      onSynced: () => {
        this.#isTooLarge = false;
        observer.stateChanged(this);
      },
    });
    this.store.subscribe((change) => observer.changed(spec, change));
    void this.#discover();
  }

  get state(): InformerState["state"] {
    if (this.#isServed === false) return "not served";
    return this.store.isSynced ? "synced" : "starting";
  }

  get lastError(): string | undefined {
    return this.state === "starting" ? this.#lastError : this.#refusal;
  }

  get isTooLarge(): boolean {
    return this.#isTooLarge;
  }

  get ages(): ReflectorAges {
    return this.#reflector?.ages ?? {};
  }

  doubt(): void {
    this.#reflector?.doubt();
  }

  relist(): void {
    this.#reflector?.relist();
  }

  /** Such as `things.example.org`. Undefined if the kind is not served. */
  get resource(): string | undefined {
    return this.#reflector === undefined ? undefined : this.#resource;
  }

  /** Schedules a new list, because the API server uses a new schema only some time after the CRD has changed. */
  relistSoon(): void {
    this.#cancelRelist?.();
    this.#cancelRelist = this.#parts.clock.schedule(schemaPatienceMs, () => this.relist());
  }

  stop(): void {
    this.#stopped.abort();
    this.#cancelDiscovery?.();
    this.#cancelRelist?.();
    this.#reflector?.stop();
    this.#parts.breakers.withdraw(this.#parts.caller);
    this.store.close();
  }

  rediscover(): void {
    this.#discoveries = 0;
    this.#mostDiscoveries = discoveriesAfterChange;
    if (this.#reflector === undefined && !this.#isDiscovering) void this.#discover();
  }

  async #discover(): Promise<void> {
    this.#cancelDiscovery?.();
    this.#isDiscovering = true;
    const { discovery, client, breakers, caller } = this.#parts;
    const { signal } = this.#stopped;
    const attempt = breakers.begin(caller);
    const found = await discovery.find(this.spec, signal, guardClient(client, attempt));
    this.#isDiscovering = false;
    // Waits for the circuit breaker while the server is down, so that there is always a caller that can probe it.
    if (!signal.aborted && found.kind === "unavailable" && attempt.park(() => void this.#discover())) return;
    attempt.end();
    if (signal.aborted) return;
    if (found.kind === "served") return this.#serve(found.resource);
    if (found.kind === "not-served") this.#setServed(false);
    const isKnown = found.kind === "not-served" && this.#discoveries >= this.#mostDiscoveries;
    if (!isKnown) this.#discoverLater();
  }

  #discoverLater(): void {
    const { clock, discovery } = this.#parts;
    this.#discoveries++;
    const delay = pauseAfter(this.#discoveries, patienceMs);
    this.#cancelDiscovery = clock.schedule(delay, () => {
      discovery.forgetVersion(this.spec.apiVersion);
      void this.#discover();
    });
  }

  #serve(resource: Resource): void {
    this.#resource = resourceName(resource);
    const { namespace, name, labelSelector, projection } = this.spec;
    const selection = {
      ...(labelSelector && { labelSelector }),
      ...(name && { fieldSelector: `metadata.name=${name}` }),
    };
    const content = isAllInMetadata(projection) ? "metadata" : "full";
    const owners = keepsOwners(projection) ? {} : ({ owners: "ignored" } as const);
    const subject = { resource, selection, content, ...owners, ...(namespace && { namespace }) } as const;
    const shared = new SharedValues();
    const source = new WatchSource(subject, (object) => {
      const projected = projectObject(object, projection);
      return projection.keep === "members" ? shared.shareObject(projected) : projected;
    });
    const observer = {
      warned: (what: string, why: string) => this.#warned(what, why),
      vanished: () => this.#vanished(),
      overflowed: (why: string) => this.#overflowed(why),
      recovered: () => this.#recovered(),
    };
    this.#setServed(true);
    this.#reflector = new Reflector({ ...this.#parts, source, store: this.store, observer });
    this.#reflector.start();
  }

  #overflowed(why: string): void {
    const isChange = !this.#isTooLarge;
    this.#isTooLarge = true;
    this.#lastError = `too large: ${this.spec.kind} objects take ${why}`;
    if (!isChange) return;
    this.#parts.observer.warned(this.spec, "too large", this.#lastError);
    this.#parts.observer.stateChanged(this);
  }

  #warned(what: string, why: string): void {
    const before = this.lastError;
    this.#lastError = why;
    if (what === "refused") this.#refusal = why;
    this.#parts.observer.warned(this.spec, what, why);
    if (this.lastError !== before) this.#parts.observer.stateChanged(this);
  }

  #recovered(): void {
    const isChange = this.store.isSynced && this.#refusal !== undefined;
    this.#refusal = undefined;
    if (isChange) this.#parts.observer.stateChanged(this);
  }

  #vanished(): void {
    this.#refusal = undefined;
    this.#reflector?.stop();
    this.#reflector = undefined;
    this.#parts.discovery.forget(groupOf(this.spec.apiVersion));
    this.#setServed(false);
    this.rediscover();
  }

  #setServed(isServed: boolean): void {
    const isChange = this.#isServed !== isServed;
    this.#isServed = isServed;
    if (isChange) this.#parts.observer.stateChanged(this);
  }
}

export function groupOf(apiVersion: string): string {
  return apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
}
