// Diagnoses open rollouts from informers and single reads. Requeues their configs when something may have changed.

import { type DiagnosedRollout, type ReconcileFacts, rolloutChanges } from "@virt/advisor";
import type { KubeObject, RolloutStatus, VirtPlatformConfig } from "@virt/api";
import { infrastructureInformer, machineConfigNodeInformer, readClusterShape } from "@virt/cluster";
import {
  assessed,
  type Diagnosis,
  type DoctorFacts,
  DrainErrors,
  diagnoseRollout,
  drainingNodes,
  notAssessed,
  withStoppedVms,
} from "@virt/impact";
import type { Clock, InformerSpec, InformerState, ReconcileContext, StoreChange } from "@virt/kube";
import { equalJson } from "@virt/objects";
import { collectDoctorFacts, DrainedPods, findDiagnosisGaps, InformerLists, ReadRetries, refusalOf } from "@virt/reads";
import { rolloutInformersOf } from "./informers.ts";
import { withoutRestarting } from "./stopped-vms.ts";

const debounceMs = 1_000;
/** A diagnosis waits this long for the first lists, because the stored status is better than a partial diagnosis. */
const patienceMs = 60_000;
/** The minimum interval between status writes for a rollout. */
const restMs = 10_000;
const infrastructureAgeMs = 600_000;

export type RolloutDoctorOptions = {
  readonly find: (spec: InformerSpec) => InformerState | undefined;
  readonly hco: (config: VirtPlatformConfig) => KubeObject | undefined;
  readonly observedRollouts: () => readonly RolloutStatus[];
  readonly clock: Pick<Clock, "wall" | "monotonic" | "schedule">;
  readonly areVmsNamed: boolean;
  readonly wake: () => void;
};

/** The reads of this reconcile, so that its decision and its diagnosis agree. */
export type RolloutReads = Pick<ReconcileFacts, "now" | "pools" | "live" | "renderedOf">;

type KnownRollout = {
  diagnosis: Diagnosis;
  /** First-seen times in monotonic milliseconds, which clock changes do not affect. */
  sightings: ReadonlyMap<string, number>;
  writtenMs: number;
};

export class RolloutDoctor {
  readonly #options: RolloutDoctorOptions;
  readonly #lists: InformerLists;
  readonly #known = new Map<string, KnownRollout>();
  readonly #drainErrors = new DrainErrors();
  readonly #podsByConfig = new Map<string, DrainedPods>();
  readonly #listingSince = new Map<string, number>();
  readonly #infrastructureRetries = new ReadRetries({ restsWhenRefused: true });
  #infrastructure: { readonly object: KubeObject | undefined; readonly atMs: number } | undefined;
  #isWaking = false;

  constructor(options: RolloutDoctorOptions) {
    this.#options = options;
    this.#lists = new InformerLists(options.find);
  }

  /** Notes a change before a later one overwrites it. Requeues the configs once for all changes of the next second. */
  noticeChange(spec: InformerSpec, { key, after }: StoreChange<KubeObject>): void {
    if (spec === machineConfigNodeInformer) {
      if (after === undefined) this.#drainErrors.forget(key);
      else this.#drainErrors.note(after);
    }
    this.#wakeSoon();
  }

  #wakeSoon(): void {
    if (this.#isWaking) return;
    this.#isWaking = true;
    this.#options.clock.schedule(debounceMs, () => {
      this.#isWaking = false;
      this.#options.wake();
    });
  }

  /** Collects the facts of a diagnosis from memory. Undefined if too early. `now` is this reconcile's wall clock. */
  collect(config: VirtPlatformConfig, read: RolloutReads): DoctorFacts | undefined {
    const monotonicMs = this.#options.clock.monotonic();
    return this.#isTooEarly(config, monotonicMs) ? undefined : this.#facts(config, read, monotonicMs);
  }

  /** Diagnoses the rollout from the collected facts of this reconcile. `isEnding`: this is the last diagnosis. */
  async diagnose(
    config: VirtPlatformConfig,
    collected: DoctorFacts,
    context: ReconcileContext,
    isEnding: boolean,
  ): Promise<DiagnosedRollout> {
    const { name } = config.metadata;
    const monotonicMs = this.#options.clock.monotonic();
    const offset = collected.now - monotonicMs;
    const known = this.#known.get(name);
    const before = known?.diagnosis.rollout ?? config.status?.rollout;
    const sightings = new Map([...(known?.sightings ?? [])].map(([key, ms]) => [key, ms + offset]));
    await this.#loadInfrastructure(context.cluster, monotonicMs);
    const observedRollouts = this.#options.observedRollouts();
    const drainErrors = this.#drainErrors;
    const ranVms = known === undefined ? {} : { ranVms: known.diagnosis.ranVms };
    const shape = this.#shape();
    const facts = { ...collected, shape, before, sightings, drainErrors, observedRollouts, ...ranVms };
    const draining = drainingNodes(facts);
    const pods = this.#podsByConfig.get(name) ?? new DrainedPods();
    this.#podsByConfig.set(name, pods);
    const { sender, signal } = context;
    const drainedPods = await pods.load(draining, { sender, signal, now: monotonicMs });
    const refusal = pods.refusalFor(draining, monotonicMs);
    const readGaps = findDiagnosisGaps([
      [infrastructureInformer.kind, shape],
      ["Pod", refusal === undefined ? assessed(drainedPods) : notAssessed(refusal.reason, refusal.message)],
    ]);
    const diagnosis = diagnoseRollout({ ...facts, drainedPods, notAssessed: [...facts.notAssessed, ...readGaps] });
    const isShown = equalJson(diagnosis.rollout, config.status?.rollout ?? null);
    const writtenMs = known?.writtenMs ?? Number.NEGATIVE_INFINITY;
    this.#known.set(name, {
      diagnosis,
      sightings: new Map([...diagnosis.sightings].map(([key, ms]) => [key, ms - offset])),
      writtenMs,
    });
    const dueMs = isShown || writtenMs === Number.NEGATIVE_INFINITY ? 0 : writtenMs + restMs + offset;
    const podsDueMs = pods.dueAt(draining);
    const next = [diagnosis.nextAt, podsDueMs === undefined ? undefined : podsDueMs + offset].flatMap((ms) => ms ?? []);
    const rollout = isEnding ? await this.#confirmStopped(diagnosis, context.cluster) : diagnosis.rollout;
    return { rollout, dueMs, nextMs: next.length === 0 ? undefined : Math.min(...next) };
  }

  async #confirmStopped({ rollout, stoppedVms }: Diagnosis, cluster: ReconcileContext["cluster"]) {
    const stopped = await withoutRestarting(stoppedVms, cluster);
    return withStoppedVms(rollout, stopped, this.#options.areVmsNamed);
  }

  /** Notes a status write. Only a write of the latest diagnosis delays the next one. */
  noteWritten(name: string, rollout: RolloutStatus | undefined): void {
    const known = this.#known.get(name);
    if (known === undefined || !equalJson(known.diagnosis.rollout, rollout ?? null)) return;
    known.writtenMs = this.#options.clock.monotonic();
  }

  forget(name: string): void {
    this.#known.delete(name);
    this.#podsByConfig.delete(name);
    this.#listingSince.delete(name);
  }

  #isTooEarly(config: VirtPlatformConfig, nowMs: number): boolean {
    const { name } = config.metadata;
    const lists = rolloutInformersOf(config, this.#options).map((spec) => this.#lists.list(spec, nowMs));
    if (!lists.some((list) => !list.isAssessed && list.reason === "Listing")) {
      this.#listingSince.delete(name);
      return false;
    }
    const since = this.#listingSince.get(name) ?? nowMs;
    this.#listingSince.set(name, since);
    const isEarly = nowMs - since < patienceMs;
    if (isEarly) this.#wakeSoon();
    return isEarly;
  }

  async #loadInfrastructure(cluster: ReconcileContext["cluster"], nowMs: number): Promise<void> {
    const isFresh = this.#infrastructure !== undefined && nowMs - this.#infrastructure.atMs < infrastructureAgeMs;
    if (isFresh || !this.#infrastructureRetries.mayRead(nowMs)) return;
    const { apiVersion, kind, name = "" } = infrastructureInformer;
    const reading = await cluster.read({ apiVersion, kind, name });
    const isKnown = reading.kind === "found" || reading.kind === "absent" || reading.kind === "missing";
    const message = "message" in reading ? reading.message : "";
    this.#infrastructureRetries.note(isKnown ? undefined : { ...refusalOf(reading), message }, nowMs);
    if (isKnown) this.#infrastructure = { object: reading.kind === "found" ? reading.object : undefined, atMs: nowMs };
  }

  /** Returns the last known shape, which does not change. A failed read counts after 1 minute. */
  #shape(): DoctorFacts["shape"] {
    const { refusal } = this.#infrastructureRetries;
    const object = this.#infrastructure?.object;
    if (object !== undefined) return assessed(readClusterShape(object));
    const isRefused = this.#infrastructure === undefined && refusal !== undefined && refusal.reason !== "Listing";
    return isRefused ? notAssessed(refusal.reason, refusal.message) : notAssessed("NotServed");
  }

  #facts(config: VirtPlatformConfig, { now, pools, live, renderedOf }: RolloutReads, monotonicMs: number): DoctorFacts {
    const facts = collectDoctorFacts({
      disruption: config.status?.disruption ?? [],
      renderedOf,
      list: (spec) =>
        spec === infrastructureInformer ? notAssessed("NotServed") : this.#lists.list(spec, monotonicMs),
      hco: this.#options.hco(config),
      now,
      changes: rolloutChanges(config, live, pools, renderedOf),
      areVmsNamed: this.#options.areVmsNamed,
    });
    return { ...facts, pools };
  }
}
