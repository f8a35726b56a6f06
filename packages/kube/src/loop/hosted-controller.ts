// One controller in a process: its queue, its passes, and the gate between it and the cluster.

import type { Cluster, KubeObject } from "@virt/engine";
import type { Breakers } from "../breaker/breaker.ts";
import { guarded } from "../breaker/guarded.ts";
import type { Clock } from "../clock.ts";
import type { Gate } from "../lease/fence.ts";
import { OwnWrites } from "../watch/own-writes.ts";
import type { Watch, WatchSpec } from "../watch/running-watch.ts";
import type { Change } from "../watch/store.ts";
import type { Sender } from "../wire/client.ts";
import { clusterFor, type Reader } from "../wire/cluster.ts";
import type { Discovery } from "../wire/discovery.ts";
import { Loop, type LoopObserver } from "./loop.ts";
import type { Ending } from "./pass.ts";
import { Queue, type QueueObserver } from "./queue.ts";

/** What a pass may use. All of it ends with the pass. */
export type Tools = {
  readonly signal: AbortSignal;
  readonly cluster: Cluster & Reader;
  /** For what the port does not have: status writes, lists. Effective writes need `mayWrite` in their sending. */
  readonly sender: Sender;
  readonly mayWrite: () => boolean;
  /** The next pass over this key waits until the watch shows this answer to our write. */
  readonly wrote: (spec: WatchSpec, live: KubeObject) => void;
};

export type Controller = {
  readonly name: string;
  /** Which keys a change concerns. Synchronous and quick: it only says who must be looked at. */
  readonly keysFor: (spec: WatchSpec, change: Change<KubeObject>) => Iterable<string>;
  /** Which keys it concerns that a kind is served, listed, or not served any more. */
  readonly keysWhen?: (watch: Watch) => Iterable<string>;
  readonly pass: (key: string, tools: Tools) => Promise<Ending>;
};

export type ControllerParts = {
  readonly sender: Sender;
  readonly discovery: Discovery;
  readonly breakers: Breakers;
  readonly clock: Clock;
  readonly random: () => number;
  readonly gate: Gate;
  readonly observer: LoopObserver & QueueObserver;
  readonly watches: { readonly find: (spec: WatchSpec) => Watch | undefined };
};

export class HostedController {
  readonly #controller: Controller;
  readonly #queue: Queue;
  readonly #loop: Loop;

  constructor(controller: Controller, parts: ControllerParts) {
    const { clock, random, observer, gate, breakers, discovery, watches } = parts;
    const ownWrites = new OwnWrites(clock);
    this.#controller = controller;
    this.#queue = new Queue({ clock, chance: random, observer });
    const mayWrite = () => gate.mayWrite();
    this.#loop = new Loop({
      name: controller.name,
      queue: this.#queue,
      gate,
      breakers,
      clock,
      observer,
      pass: async (key, signal, attempt) => {
        await ownWrites.caughtUp(key, signal);
        const sender = guarded(parts.sender, attempt);
        const cluster = clusterFor({ client: sender, discovery, mayWrite }, signal);
        const wrote = (spec: WatchSpec, live: KubeObject) => {
          const watched = watches.find(spec);
          const { uid = "", resourceVersion: version = "" } = live.metadata;
          if (watched !== undefined) ownWrites.note(key, { object: uid, watched, version });
        };
        return controller.pass(key, { signal, sender, cluster, mayWrite, wrote });
      },
    });
  }

  changed(spec: WatchSpec, change: Change<KubeObject>): void {
    for (const key of this.#controller.keysFor(spec, change)) this.#queue.add(key);
  }

  stateChanged(watch: Watch): void {
    for (const key of this.#controller.keysWhen?.(watch) ?? []) this.#queue.add(key);
  }

  look(key: string): void {
    this.#queue.add(key);
  }

  get oldestPassMs(): number {
    return this.#loop.oldestPassMs;
  }

  get queueState() {
    return this.#queue.state;
  }

  stop(signal: AbortSignal): Promise<void> {
    return this.#loop.stop(signal);
  }
}
