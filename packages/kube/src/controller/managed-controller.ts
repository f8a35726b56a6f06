// Runs one controller with its work queue, worker and write gate.

import type { KubeObject } from "@virt/objects";
import type { InformerSpec, InformerState } from "../cache/informer.ts";
import type { StoreChange } from "../cache/store.ts";
import type { Breakers } from "../circuitbreaker/breaker.ts";
import { type ApiWriter, guardClient, observeRequests } from "../client/api-client.ts";
import { type Cluster, clusterFor } from "../client/cluster.ts";
import type { Discovery } from "../client/discovery.ts";
import type { Clock } from "../clock.ts";
import type { WriteGate } from "../leaderelection/write-fence.ts";
import { requestLine } from "../metrics/metrics.ts";
import { WorkQueue, type WorkQueueObserver } from "../workqueue/work-queue.ts";
import { type ReconcileReport, type ReconcileResult, Worker, type WorkerObserver } from "./worker.ts";

/** The clients and callbacks of one reconcile. Do not use them after it ends. */
export type ReconcileContext = {
  readonly signal: AbortSignal;
  readonly cluster: Cluster;
  /** For requests that `cluster` does not cover, such as status writes and lists. */
  readonly sender: ApiWriter;
  /** Reports the response to a write. The next reconcile of this key waits until the cache contains it. */
  readonly wrote: (spec: InformerSpec, live: KubeObject) => void;
  /** Adds a decision to the trace. Absent if reconciles are not traced. */
  readonly explain?: (decision: string) => void;
};

/**
 * A controller maps changes to keys, and reconciles one key at a time. See example.integration.test.ts for a complete
 * program.
 */
export type Controller = {
  readonly name: string;
  /** Returns the keys that a change affects. Must be fast and synchronous. Absent: changes add no keys. */
  readonly keysFor?: (spec: InformerSpec, change: StoreChange<KubeObject>) => Iterable<string>;
  /** Returns the keys to add when a kind becomes served, listed or not served. */
  readonly keysWhen?: (informer: InformerState) => Iterable<string>;
  readonly reconcile: (key: string, context: ReconcileContext) => Promise<ReconcileResult>;
  /** Called when this process gains or loses leadership. While it was not the leader, another process may have written. */
  readonly gateChanged?: () => void;
};

export type ControllerOptions = {
  /** Bound to `gate`. */
  readonly client: ApiWriter;
  readonly discovery: Discovery;
  readonly breakers: Breakers;
  readonly clock: Clock;
  readonly random: () => number;
  readonly gate: WriteGate;
  readonly observer: WorkerObserver & WorkQueueObserver & TraceObserver;
  readonly informers: { readonly find: (spec: InformerSpec) => InformerState | undefined };
};

export type TraceObserver = { readonly traced?: (trace: ReconcileTrace) => void };

export class ManagedController {
  readonly #controller: Controller;
  readonly #queue: WorkQueue;
  readonly #worker: Worker;
  readonly #tracer: ReconcileTracer | undefined;

  constructor(controller: Controller, parts: ControllerOptions) {
    const { clock, random, observer, gate, breakers, discovery, informers } = parts;
    const ownWrites = new OwnWrites(clock);
    this.#controller = controller;
    const tracer = observer.traced && new ReconcileTracer(observer.traced);
    this.#tracer = tracer;
    this.#queue = new WorkQueue({ clock, chance: random, observer });
    gate.subscribe(() => controller.gateChanged?.());
    this.#worker = new Worker({
      name: controller.name,
      queue: this.#queue,
      gate,
      breakers,
      clock,
      observer: tracer === undefined ? observer : tracedObserver(observer, tracer),
      reconcile: async (key, signal, attempt) => {
        const trace = tracer?.begin(key, parts.client);
        await ownWrites.caughtUp(key, signal);
        const sender = guardClient(trace?.client ?? parts.client, attempt);
        const cluster = clusterFor({ client: sender, discovery }, signal);
        const wrote = (spec: InformerSpec, live: KubeObject) => {
          const watched = informers.find(spec);
          const { uid = "", resourceVersion: version = "" } = live.metadata;
          if (watched !== undefined) ownWrites.note(key, { object: uid, informer: watched, version });
        };
        return controller.reconcile(key, { signal, sender, cluster, wrote, ...(trace && { explain: trace.explain }) });
      },
    });
  }

  changed(spec: InformerSpec, change: StoreChange<KubeObject>): void {
    for (const key of this.#controller.keysFor?.(spec, change) ?? []) {
      this.#tracer?.triggered(key, `${spec.kind} ${change.key} ${describeChange(change)}`);
      this.#queue.add(key);
    }
  }

  stateChanged(informer: InformerState): void {
    for (const key of this.#controller.keysWhen?.(informer) ?? []) {
      this.#tracer?.triggered(key, `informer of ${informer.spec.kind} is ${informer.state}`);
      this.#queue.add(key);
    }
  }

  enqueue(key: string): void {
    this.#tracer?.triggered(key, "another reconcile");
    this.#queue.add(key);
  }

  get name(): string {
    return this.#controller.name;
  }

  get oldestReconcileMs(): number {
    return this.#worker.oldestReconcileMs;
  }

  get queueState() {
    return this.#queue.state;
  }

  stop(signal: AbortSignal): Promise<void> {
    return this.#worker.stop(signal);
  }
}

function tracedObserver(observer: WorkerObserver, tracer: ReconcileTracer): WorkerObserver {
  return {
    ended: (report) => {
      observer.ended(report);
      tracer.ended(report);
    },
  };
}

function describeChange({ before, after }: StoreChange<KubeObject>): string {
  if (before === undefined) return "appeared";
  return after === undefined ? "was deleted" : "changed";
}

export type AwaitedInformer = {
  readonly store: { readonly contains: (version: string, signal: AbortSignal) => Promise<void> };
  readonly doubt: () => void;
  readonly relist: () => void;
};

export type OwnWrite = {
  readonly object: string;
  readonly informer: AwaitedInformer;
  readonly version: string;
};

/**
 * How long to wait for a write to appear in the cache. After `probe`, the watch is probed, because it may be dead.
 * After `relist`, the objects are listed again. After `end`, the reconcile runs with the old cache, because the kind
 * may be gone. The server rejects stale writes.
 */
const patienceMs = { probe: 5_000, relist: 10_000, end: 30_000 };

export class OwnWrites {
  readonly #clock: Clock;
  readonly #writes = new Map<string, Map<string, OwnWrite>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A write without changes returns a version that the cache already contains, so it causes no wait. */
  note(key: string, write: OwnWrite): void {
    const writes = this.#writes.get(key) ?? new Map<string, OwnWrite>();
    this.#writes.set(key, writes.set(write.object, write));
  }

  /** Resolves when the caches contain all earlier writes of this key, or when the signal is aborted. */
  async caughtUp(key: string, signal: AbortSignal): Promise<void> {
    const writes = [...(this.#writes.get(key)?.values() ?? [])];
    await Promise.all(writes.map((write) => this.#wait(write, signal)));
    if (!signal.aborted) this.#writes.delete(key);
  }

  async #wait({ informer, version }: OwnWrite, signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    const timers = [
      this.#clock.schedule(patienceMs.probe, () => informer.doubt()),
      this.#clock.schedule(patienceMs.relist, () => informer.relist()),
      this.#clock.schedule(patienceMs.end, () => over.abort()),
    ];
    try {
      await informer.store.contains(version, AbortSignal.any([signal, over.signal]));
    } finally {
      for (const cancel of timers) cancel();
    }
  }
}

/** Contains names, verbs, paths and codes, but no bodies or credentials. */
export type ReconcileTrace = Omit<ReconcileReport, "cause"> & {
  readonly triggers: readonly string[];
  readonly decisions: readonly string[];
  readonly requests: readonly string[];
};

type OpenTrace = { readonly triggers: string[]; readonly decisions: string[]; readonly requests: string[] };

/** Hundreds of changes can add the same key. */
const mostNamed = 10;

/** Traces reconciles for the debug log. At other log levels, there is no tracer. */
export class ReconcileTracer {
  readonly #report: (trace: ReconcileTrace) => void;
  readonly #waiting = new Map<string, string[]>();
  readonly #open = new Map<string, OpenTrace>();

  constructor(report: (trace: ReconcileTrace) => void) {
    this.#report = report;
  }

  triggered(key: string, trigger: string): void {
    const triggers = this.#waiting.get(key) ?? [];
    if (triggers.length < mostNamed && !triggers.includes(trigger)) triggers.push(trigger);
    this.#waiting.set(key, triggers);
  }

  /** The reconcile must use the client that is returned. */
  begin(key: string, client: ApiWriter): { readonly client: ApiWriter; readonly explain: (decision: string) => void } {
    const triggers = this.#waiting.get(key) ?? ["requeue"];
    this.#waiting.delete(key);
    const trace: OpenTrace = { triggers, decisions: [], requests: [] };
    this.#open.set(key, trace);
    const observed = observeRequests(client, (request, answer) => trace.requests.push(requestLine(request, answer)));
    return { client: observed, explain: (decision) => void trace.decisions.push(decision) };
  }

  ended({ key, outcome, durationMs }: ReconcileReport): void {
    const { triggers, decisions, requests } = this.#open.get(key) ?? { triggers: [], decisions: [], requests: [] };
    this.#open.delete(key);
    this.#report({ key, triggers, decisions, requests, outcome, durationMs });
  }
}
