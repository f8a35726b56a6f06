// Runs the simulated controllers in rounds. Each round is repeated until nothing changes, then time advances.

import type { Clock, Controller, Manager, ReconcileContext, ReconcileResult } from "@virt/kube";
import { compareUtf8, type KubeObject, writeTime } from "@virt/objects";
import { type ClusterState, isKind, type Kind, simulatorInformers } from "./cluster-state.ts";
import { simulatedControllers } from "./controllers/index.ts";
import { createScenarioObjects } from "./controllers/scenario-objects.ts";
import { type AppliedWrite, applyWrites, needsWrite } from "./object-writes.ts";
import type { Scenario } from "./scenario.ts";
import { SimulatedTimers } from "./simulated-timers.ts";

type SimulationOptions = {
  readonly scenario: Scenario;
  readonly seed: number;
  readonly speed: number;
  readonly clock: Clock;
  readonly manager: () => Pick<Manager, "informers" | "discovery" | "isSynced">;
  readonly reportEvent: (event: string) => void;
  readonly reportError: (failure: string) => void;
  readonly onReady: () => void;
};

const syncPollMs = 50;
const shortestRetryMs = 50;

export class SimulationController implements Controller {
  readonly name = "simulation";
  readonly #options: SimulationOptions;
  readonly #startedMs: number;
  readonly #createdKeys = new Set<string>();
  #nowMs = 0;
  #timers: ReadonlyMap<string, number> = new Map();
  #nextDue: number | undefined;
  #isReady = false;
  #lastFailure = "";

  constructor(options: SimulationOptions) {
    this.#options = options;
    this.#startedMs = options.clock.monotonic();
  }

  keysFor(): readonly string[] {
    return ["cluster"];
  }

  async reconcile(_key: string, { sender, signal }: ReconcileContext): Promise<ReconcileResult> {
    const { clock, manager } = this.#options;
    if (!manager().isSynced) return { kind: "requeueAt", atMs: clock.wall() + syncPollMs };
    this.#nowMs = this.#currentMs();
    const timers = new SimulatedTimers(this.#nowMs, this.#timers, shortestRetryMs * this.#options.speed);
    const cluster = this.#readCluster();
    const writes = simulatedControllers.flatMap((controller) => controller(cluster, timers));
    this.#timers = timers.pending;
    const needed = writes.filter((write) => needsWrite(write) || this.#rememberKey(write.key));
    if (needed.length === 0) return this.#requeueIdle(cluster, timers);
    const informerOf = (object: KubeObject) => this.#findInformer(object.kind, object.apiVersion);
    this.#nextDue = this.#nowMs; // repeats this time until no writes are needed
    const applied = await applyWrites(needed, { sender, signal, informerOf, discovery: manager().discovery });
    if (signal.aborted) return { kind: "retry" }; // on shutdown, cancelled requests are not failures
    return this.#recordResults(applied, timers);
  }

  // Returns the simulated time. Never skips a due time, even if the process is late.
  #currentMs(): number {
    const { clock, speed } = this.#options;
    const now = (clock.monotonic() - this.#startedMs) * speed;
    return Math.max(this.#nowMs, Math.min(now, this.#nextDue ?? now));
  }

  #requeueIdle(cluster: ClusterState, timers: SimulatedTimers): ReconcileResult {
    const { clock, speed, onReady } = this.#options;
    const isReady = createScenarioObjects(cluster).length === 0;
    if (isReady && !this.#isReady) onReady();
    this.#isReady ||= isReady;
    this.#nextDue = timers.nextDue;
    if (timers.nextDue === undefined) return { kind: "done" };
    const inMs = timers.nextDue / speed - (clock.monotonic() - this.#startedMs);
    return { kind: "requeueAt", atMs: clock.wall() + Math.max(0, inMs) };
  }

  #recordResults(applied: readonly AppliedWrite[], timers: SimulatedTimers): ReconcileResult {
    const { clock, reportEvent, reportError } = this.#options;
    for (const { write, failure, isFinal = false, isMoot = false } of applied) {
      if (failure === undefined || isFinal) this.#rememberKey(write.key);
      if (failure === undefined && write.event !== undefined && !isMoot) reportEvent(write.event);
    }
    const failure = applied.find((one) => one.failure !== undefined)?.failure;
    if (failure === undefined) return { kind: "requeueAt", atMs: clock.wall() };
    if (failure !== this.#lastFailure) reportError(failure);
    this.#lastFailure = failure;
    this.#nextDue = timers.nextDue; // set even if a write fails, so that the clock neither stops nor jumps
    return { kind: "retry" };
  }

  // Always returns false: an object that already has the required state needs no write.
  #rememberKey(key: string | undefined): false {
    if (key !== undefined) this.#createdKeys.add(key);
    return false;
  }

  #readCluster(): ClusterState {
    const { scenario, seed, clock } = this.#options;
    const known = new Map<Kind, readonly KubeObject[]>();
    const read = (kind: Kind) => {
      const present = [...(this.#findInformer(kind)?.store.items() ?? [])].toSorted(byName);
      known.set(kind, present);
      return present;
    };
    return {
      scenario,
      seed,
      createdKeys: this.#createdKeys,
      timestamp: writeTime(Math.floor(clock.wall() / 1000) * 1000),
      list: (kind) => known.get(kind) ?? read(kind),
      servedVersion: (kind) => this.#findInformer(kind)?.spec.apiVersion,
    };
  }

  #findInformer(kind: string, apiVersion?: string) {
    const { informers } = this.#options.manager();
    return simulatorInformers(isKind(kind) ? kind : "Node")
      .filter((spec) => spec.kind === kind && (apiVersion === undefined || spec.apiVersion === apiVersion))
      .flatMap((spec) => informers.find(spec) ?? [])
      .find(({ state }) => state === "synced");
  }
}

function byName({ metadata: left }: KubeObject, { metadata: right }: KubeObject): number {
  return compareUtf8(left.namespace ?? "", right.namespace ?? "") || compareUtf8(left.name, right.name);
}
