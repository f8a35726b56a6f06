// Runs the controllers of a process: watches objects, elects leaders and shuts down in order.

import type { KubeObject } from "@virt/objects";
import type { InformerObserver, InformerSpec, InformerState } from "../cache/informer.ts";
import { InformerSet } from "../cache/informer-set.ts";
import type { StoreChange } from "../cache/store.ts";
import { type BreakerObserver, Breakers } from "../circuitbreaker/breaker.ts";
import { type ApiWriter, guardEachRequest } from "../client/api-client.ts";
import type { Client } from "../client/client.ts";
import { Discovery } from "../client/discovery.ts";
import type { Cancel, Clock } from "../clock.ts";
import {
  defaultLeaseDurations,
  type LeaderElectionObserver,
  leaseClient,
  runLeaderElection,
} from "../leaderelection/leader-election.ts";
import { noLease, WriteFence } from "../leaderelection/write-fence.ts";
import type { WorkQueueObserver, WorkQueueState } from "../workqueue/work-queue.ts";
import { type Controller, ManagedController, type TraceObserver } from "./managed-controller.ts";
import type { WorkerObserver } from "./worker.ts";

/** As in client-go, the lease duration exceeds the renew deadline, which exceeds the retry period. */
export type LeaseDurations = {
  readonly durationSeconds: number;
  readonly renewDeadlineMs: number;
  readonly retryMs: number;
};

/** Controllers that share a lease, metrics and events. Without a lease, they may always write. */
export type ControllerGroup = {
  readonly name: string;
  /** Names must be unique in the process. */
  readonly controllers: readonly Controller[];
  readonly lease?: {
    readonly namespace: string;
    readonly name: string;
    readonly identity: string;
    readonly times?: LeaseDurations;
  };
  readonly observer: WorkerObserver &
    WorkQueueObserver &
    TraceObserver &
    LeaderElectionObserver & { readonly leading: (isLeading: boolean) => void };
  /** Called once, before the first reconcile. The sink writes only while the group holds its lease. */
  readonly startEvents?: (sink: EventSink) => { readonly stop: (signal: AbortSignal) => Promise<void> };
};

/** `caller` is the name under which the sink waits for a circuit breaker. */
export type EventSink = { readonly client: ApiWriter; readonly breakers: Breakers; readonly caller: string };

/** The client and the controllers of a manager. The manager closes the client when it stops. */
export type ManagerOptions = {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: () => number;
  readonly groups: readonly ControllerGroup[];
  readonly observer: BreakerObserver & Omit<InformerObserver, "changed">;
};

type RunningGroup = {
  readonly name: string;
  readonly controllers: readonly ManagedController[];
  readonly lease: Promise<void>;
  readonly events?: { readonly stop: (signal: AbortSignal) => Promise<void> };
};

/** Every manager watches CRDs to learn which kinds are served. It keeps only metadata of bounded size. */
export const crdInformer: InformerSpec = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  projection: { keep: "parts", parts: [["metadata", "generation"]] },
};

const checkEveryMs = 1_000;
/** If a timer fires later than this, the process was frozen or suspended. */
const frozenMs = 5_000;

/** Runs until `stop`. Never exits the process. example.integration.test.ts shows a complete program. */
export class Manager {
  readonly discovery: Discovery;
  readonly breakers: Breakers;
  readonly informers: InformerSet;
  readonly #parts: ManagerOptions;
  readonly #groups: readonly RunningGroup[];
  readonly #controllers: readonly ManagedController[];
  readonly #leaving = new AbortController();
  #cancelFreezeCheck: Cancel | undefined;
  #isStopping = false;

  constructor(parts: ManagerOptions) {
    this.#parts = parts;
    const { client, clock, random, observer } = parts;
    this.breakers = new Breakers({ clock, observer });
    this.discovery = new Discovery(guardEachRequest(client, this.breakers, "discovery"));
    this.informers = new InformerSet({
      client,
      breakers: this.breakers,
      discovery: this.discovery,
      clock,
      random,
      observer: {
        ...observer,
        changed: (spec, change) => this.#changed(spec, change),
        stateChanged: (informer) => this.#stateChanged(informer),
      },
    });
    this.#groups = parts.groups.map((group) => this.#startGroup(group));
    this.#controllers = this.#groups.flatMap(({ controllers }) => controllers);
    this.#checkForFreezes();
  }

  setInformers(specs: readonly InformerSpec[]): void {
    if (!this.#isStopping) this.informers.setSpecs([crdInformer, ...specs]);
  }

  /** Throws if no controller has the name. */
  enqueue(controller: string, key: string): void {
    const named = this.#controllers.find(({ name }) => name === controller);
    if (named === undefined) throw new Error(`no controller is named ${controller}`);
    named.enqueue(key);
  }

  /** True once every informer has listed its objects, unless its kind is not served or its objects are too large. */
  get isSynced(): boolean {
    const all = this.informers.all;
    return all.length > 0 && all.every(({ state, isTooLarge }) => state !== "starting" || isTooLarge);
  }

  get oldestReconcileMs(): number {
    return Math.max(0, ...this.#controllers.map(({ oldestReconcileMs }) => oldestReconcileMs));
  }

  get queueStates(): Readonly<Record<string, WorkQueueState>> {
    return Object.fromEntries(this.#groups.map(({ name, controllers }) => [name, sumOf(controllers)]));
  }

  /**
   * Waits for running reconciles, or ends them when the signal is aborted. Then flushes events, and releases the leases
   * last, so that no write happens without a lease.
   */
  async stop(signal: AbortSignal): Promise<void> {
    this.#isStopping = true;
    this.#cancelFreezeCheck?.();
    await Promise.all(this.#controllers.map((controller) => controller.stop(signal)));
    await Promise.all(this.#groups.flatMap(({ events }) => events?.stop(signal) ?? []));
    this.informers.stop();
    this.#leaving.abort();
    await Promise.all(this.#groups.map(({ lease }) => lease));
    this.breakers[Symbol.dispose]();
    this.#parts.client.close();
  }

  #startGroup({ name, controllers, lease, observer, startEvents }: ControllerGroup): RunningGroup {
    const { clock, random } = this.#parts;
    const times = lease?.times ?? defaultLeaseDurations;
    const fence = lease === undefined ? undefined : new WriteFence({ clock, deadlineMs: times.renewDeadlineMs });
    const gate = fence ?? noLease;
    gate.subscribe(observer.leading);
    const { discovery, breakers, informers } = this;
    const client = this.#parts.client.under(gate);
    const events = startEvents?.({ client, breakers, caller: `${name} events` });
    const parts = { client, discovery, breakers, informers, clock, random, gate, observer };
    const managed = controllers.map((controller) => new ManagedController(controller, parts));
    const running = { name, controllers: managed, ...(events && { events }) };
    if (lease === undefined || fence === undefined) return { ...running, lease: Promise.resolve() };
    const elector = { ...lease, durationSeconds: times.durationSeconds, retryMs: times.retryMs };
    const held = runLeaderElection(
      { api: leaseClient(this.#parts.client.under(noLease), lease), clock, fence, elector, observer },
      this.#leaving.signal,
    );
    return { ...running, lease: held };
  }

  #changed(spec: InformerSpec, change: StoreChange<KubeObject>): void {
    if (spec.kind === crdInformer.kind) this.#crdChanged(change);
    for (const controller of this.#controllers) controller.changed(spec, change);
  }

  #crdChanged({ key, before, after }: StoreChange<KubeObject>): void {
    this.informers.groupChanged(groupOfCrd(key));
    if (before !== undefined && after !== undefined) this.informers.schemaChanged(key);
  }

  #stateChanged(informer: InformerState): void {
    this.#parts.observer.stateChanged(informer);
    for (const controller of this.#controllers) controller.stateChanged(informer);
  }

  #checkForFreezes(): void {
    const { clock } = this.#parts;
    const set = { monotonic: clock.monotonic(), wall: clock.wall() };
    this.#cancelFreezeCheck = clock.schedule(checkEveryMs, () => {
      const passedMs = Math.max(clock.monotonic() - set.monotonic, clock.wall() - set.wall);
      if (passedMs > frozenMs) this.informers.doubtAll();
      this.#checkForFreezes();
    });
  }
}

function sumOf(controllers: readonly ManagedController[]): WorkQueueState {
  const states = controllers.map(({ queueState }) => queueState);
  return {
    depth: states.reduce((sum, { depth }) => sum + depth, 0),
    unfinishedSeconds: states.reduce((sum, { unfinishedSeconds }) => sum + unfinishedSeconds, 0),
    longestRunningSeconds: Math.max(0, ...states.map(({ longestRunningSeconds }) => longestRunningSeconds)),
  };
}

/** The name of a CRD is `<plural>.<group>`. */
function groupOfCrd(name: string): string {
  return name.slice(name.indexOf(".") + 1);
}
