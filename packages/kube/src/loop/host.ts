// A process on a cluster: connects, watches, runs its controllers behind their gates, and ends in good order.

import type { KubeObject } from "@virt/engine";
import { type BreakerObserver, Breakers } from "../breaker/breaker.ts";
import { type Line, lineThrough, oneByOne } from "../breaker/line.ts";
import type { Cancel, Clock } from "../clock.ts";
import { Fence, openGate } from "../lease/fence.ts";
import { holdLease, type LeaseObserver, usualLease } from "../lease/lease.ts";
import { leaseClient } from "../lease/lease-client.ts";
import type { Watch, WatchObserver, WatchSpec } from "../watch/running-watch.ts";
import type { Change } from "../watch/store.ts";
import { WatchSet } from "../watch/watch-set.ts";
import type { Sender } from "../wire/client.ts";
import { Discovery } from "../wire/discovery.ts";
import { type Controller, HostedController } from "./hosted-controller.ts";
import type { LoopObserver } from "./loop.ts";
import type { QueueObserver } from "./queue.ts";

export type LeaseTimes = {
  readonly durationSeconds: number;
  readonly renewDeadlineMs: number;
  readonly retryMs: number;
};

/** A controller and the lease that it writes under; without one it always writes. */
export type Tenant = {
  readonly controller: Controller;
  readonly lease?: {
    readonly namespace: string;
    readonly name: string;
    readonly identity: string;
    readonly times?: LeaseTimes;
  };
  readonly observer: LoopObserver & QueueObserver & LeaseObserver & { readonly leading: (isLeading: boolean) => void };
  /** Tells how to say something under this tenant's lease; made once, before the first pass. */
  readonly begin?: (voice: Voice) => { readonly stop: (signal: AbortSignal) => Promise<void> };
};

/** What a tenant may use beside its passes, for events. */
export type Voice = { readonly line: Line; readonly mayWrite: () => boolean };

export type HostParts = {
  readonly client: Sender & { readonly close: () => void };
  readonly clock: Clock;
  readonly random: () => number;
  readonly tenants: readonly Tenant[];
  readonly observer: BreakerObserver & Omit<WatchObserver, "changed">;
};

type Housed = {
  readonly controller: HostedController;
  readonly lease: Promise<void>;
  readonly voice?: { readonly stop: (signal: AbortSignal) => Promise<void> };
};

/** Every host sees CRDs come and go, by their metadata alone. */
export const crdWatch: WatchSpec = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  projection: { keep: "metadata" },
};

const lookEveryMs = 1_000;
/** A timer that is this late was not late: the process was stopped. */
const frozenMs = 5_000;

export class Host {
  readonly discovery: Discovery;
  readonly breakers: Breakers;
  readonly watches: WatchSet;
  readonly #parts: HostParts;
  readonly #controllers: readonly HostedController[];
  readonly #leaving = new AbortController();
  readonly #leases: readonly Promise<void>[];
  readonly #voices: readonly { readonly stop: (signal: AbortSignal) => Promise<void> }[];
  #cancelLook: Cancel | undefined;
  #isStopping = false;

  constructor(parts: HostParts) {
    this.#parts = parts;
    const { client, clock, random, observer } = parts;
    this.breakers = new Breakers({ clock, observer });
    this.discovery = new Discovery(oneByOne(client, this.breakers, "discovery"));
    this.watches = new WatchSet({
      lineFor: (name) => lineThrough(client, this.breakers, `watch ${name}`),
      discovery: this.discovery,
      clock,
      random,
      observer: {
        ...observer,
        changed: (spec, change) => this.#changed(spec, change),
        stateChanged: (watch) => this.#stateChanged(watch),
      },
    });
    const housed = parts.tenants.map((tenant) => this.#house(tenant));
    this.#controllers = housed.map(({ controller }) => controller);
    this.#leases = housed.map(({ lease }) => lease);
    this.#voices = housed.flatMap(({ voice }) => voice ?? []);
    this.#lookForFreezes();
  }

  /** The CRDs are watched in any case. */
  want(specs: readonly WatchSpec[]): void {
    if (!this.#isStopping) this.watches.want([crdWatch, ...specs]);
  }

  /** Puts a key into the queue of the tenant at this place. */
  look(tenant: number, key: string): void {
    this.#controllers[tenant]?.look(key);
  }

  /** Everything that is wanted has been listed once, or is known not to be served. */
  get isSynced(): boolean {
    const all = this.watches.all;
    return all.length > 0 && all.every(({ state }) => state !== "starting");
  }

  get oldestPassMs(): number {
    return Math.max(0, ...this.#controllers.map(({ oldestPassMs }) => oldestPassMs));
  }

  get queueStates() {
    return this.#controllers.map(({ queueState }) => queueState);
  }

  /**
   * No new passes; running ones get their time, or end at once when the signal is aborted. Then what they had to say is
   * said, and leases are released after that, so that nobody writes under them any more.
   */
  async stop(signal: AbortSignal): Promise<void> {
    this.#isStopping = true;
    this.#cancelLook?.();
    await Promise.all(this.#controllers.map((controller) => controller.stop(signal)));
    await Promise.all(this.#voices.map((voice) => voice.stop(signal)));
    this.watches.stop();
    this.#leaving.abort();
    await Promise.all(this.#leases);
    this.breakers[Symbol.dispose]();
    this.#parts.client.close();
  }

  #house({ controller, lease, observer, begin }: Tenant): Housed {
    const { client, clock, random } = this.#parts;
    const times = lease?.times ?? usualLease;
    const fence = lease === undefined ? undefined : new Fence({ clock, deadlineMs: times.renewDeadlineMs });
    const gate = fence ?? openGate;
    gate.subscribe(observer.leading);
    const { discovery, breakers, watches } = this;
    const line = lineThrough(client, breakers, `${controller.name} events`);
    const voice = begin?.({ line, mayWrite: () => gate.mayWrite() });
    const parts = { sender: client, discovery, breakers, watches, clock, random, gate, observer };
    const housed = { controller: new HostedController(controller, parts), ...(voice && { voice }) };
    if (lease === undefined || fence === undefined) return { ...housed, lease: Promise.resolve() };
    const election = { ...lease, durationSeconds: times.durationSeconds, retryMs: times.retryMs };
    const held = holdLease({ api: leaseClient(client, lease), clock, fence, election, observer }, this.#leaving.signal);
    return { ...housed, lease: held };
  }

  #changed(spec: WatchSpec, change: Change<KubeObject>): void {
    if (spec.kind === crdWatch.kind) this.watches.groupChanged(groupOfCrd(change.key));
    for (const controller of this.#controllers) controller.changed(spec, change);
  }

  #stateChanged(watch: Watch): void {
    this.#parts.observer.stateChanged(watch);
    for (const controller of this.#controllers) controller.stateChanged(watch);
  }

  // A frozen process may have missed anything on its streams.
  #lookForFreezes(): void {
    const { clock } = this.#parts;
    const set = { monotonic: clock.monotonic(), wall: clock.wall() };
    this.#cancelLook = clock.schedule(lookEveryMs, () => {
      const passedMs = Math.max(clock.monotonic() - set.monotonic, clock.wall() - set.wall);
      if (passedMs > frozenMs) this.watches.doubtAll();
      this.#lookForFreezes();
    });
  }
}

/** A CRD is named after its plural and its group. */
function groupOfCrd(name: string): string {
  return name.slice(name.indexOf(".") + 1);
}
