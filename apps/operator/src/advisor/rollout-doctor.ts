// Diagnoses active rollouts, from informers and individual reads. Requeues a config if its diagnosis may have changed.

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
import { collectDoctorFacts, DrainedPods, findDiagnosisGaps, InformerLists, InfrastructureRead } from "@virt/reads";
import { rolloutInformersOf } from "./informers.ts";
import { withoutRestarting } from "./stopped-vms.ts";
import { wakeOnce } from "./wake-once.ts";

const debounceMs = 1_000;
/** How long a diagnosis waits for informers to sync. Until then, the stored status is better than a partial diagnosis. */
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

type FollowedRollout = {
  readonly pods: DrainedPods;
  listingSince: number | undefined;
  diagnosis: Diagnosis | undefined;
  /** When each finding was first seen, in monotonic milliseconds, so that clock changes have no effect. */
  sightings: ReadonlyMap<string, number>;
  writtenMs: number;
};

export class RolloutDoctor {
  readonly #options: RolloutDoctorOptions;
  readonly #lists: InformerLists;
  readonly #followed = new Map<string, FollowedRollout>();
  readonly #drainErrors = new DrainErrors();
  readonly #infrastructure = new InfrastructureRead(infrastructureAgeMs);
  readonly #wakeSoon: () => void;

  constructor(options: RolloutDoctorOptions) {
    this.#options = options;
    this.#lists = new InformerLists(options.find);
    this.#wakeSoon = wakeOnce(options.clock, debounceMs, options.wake);
  }

  /** Call it for every change of a watched object. Requeues the configs once for all changes within a second. */
  noticeChange(spec: InformerSpec, { key, after }: StoreChange<KubeObject>): void {
    if (spec === machineConfigNodeInformer) {
      if (after === undefined) this.#drainErrors.forget(key);
      else this.#drainErrors.note(after);
    }
    this.#wakeSoon();
  }

  /** Collects the facts for a diagnosis from memory. Returns undefined while informers are syncing. `now` is the wall clock. */
  collect(config: VirtPlatformConfig, read: RolloutReads): DoctorFacts | undefined {
    const monotonicMs = this.#options.clock.monotonic();
    return this.#isTooEarly(config, monotonicMs) ? undefined : this.#facts(config, read, monotonicMs);
  }

  /** Diagnoses the rollout from the collected facts. Set `isEnding` for the last diagnosis of a rollout. */
  async diagnose(
    config: VirtPlatformConfig,
    collected: DoctorFacts,
    context: ReconcileContext,
    isEnding: boolean,
  ): Promise<DiagnosedRollout> {
    const followed = this.#follow(config.metadata.name);
    const { diagnosis: known, pods, writtenMs } = followed;
    const monotonicMs = this.#options.clock.monotonic();
    const offset = collected.now - monotonicMs;
    const before = known?.rollout ?? config.status?.rollout;
    const sightings = new Map([...followed.sightings].map(([key, ms]) => [key, ms + offset]));
    await this.#infrastructure.load(context.cluster, monotonicMs);
    const observedRollouts = this.#options.observedRollouts();
    const drainErrors = this.#drainErrors;
    const ranVms = known === undefined ? {} : { ranVms: known.ranVms };
    const shape = this.#shape();
    const facts = { ...collected, shape, before, sightings, drainErrors, observedRollouts, ...ranVms };
    const draining = drainingNodes(facts);
    const { sender, signal } = context;
    const drainedPods = await pods.load(draining, { sender, signal, now: monotonicMs });
    const refusal = pods.refusalFor(draining, monotonicMs);
    const readGaps = findDiagnosisGaps([
      [infrastructureInformer.kind, shape],
      ["Pod", refusal === undefined ? assessed(drainedPods) : notAssessed(refusal.reason, refusal.message)],
    ]);
    const diagnosis = diagnoseRollout({ ...facts, drainedPods, notAssessed: [...facts.notAssessed, ...readGaps] });
    const isShown = equalJson(diagnosis.rollout, config.status?.rollout ?? null);
    followed.diagnosis = diagnosis;
    followed.sightings = new Map([...diagnosis.sightings].map(([key, ms]) => [key, ms - offset]));
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

  /** Call it after a status write. The next write is delayed only if this one contained the latest diagnosis. */
  noteWritten(name: string, rollout: RolloutStatus | undefined): void {
    const followed = this.#followed.get(name);
    if (followed?.diagnosis === undefined || !equalJson(followed.diagnosis.rollout, rollout ?? null)) return;
    followed.writtenMs = this.#options.clock.monotonic();
  }

  forget(name: string): void {
    this.#followed.delete(name);
  }

  #follow(name: string): FollowedRollout {
    const known = this.#followed.get(name);
    if (known !== undefined) return known;
    const followed: FollowedRollout = {
      pods: new DrainedPods(),
      listingSince: undefined,
      diagnosis: undefined,
      sightings: new Map(),
      writtenMs: Number.NEGATIVE_INFINITY,
    };
    this.#followed.set(name, followed);
    return followed;
  }

  #isTooEarly(config: VirtPlatformConfig, nowMs: number): boolean {
    const followed = this.#follow(config.metadata.name);
    const lists = rolloutInformersOf(config, this.#options).map((spec) => this.#lists.list(spec, nowMs));
    const isListing = lists.some((list) => !list.isAssessed && list.reason === "Listing");
    followed.listingSince = isListing ? (followed.listingSince ?? nowMs) : undefined;
    const isEarly = followed.listingSince !== undefined && nowMs - followed.listingSince < patienceMs;
    if (isEarly) this.#wakeSoon();
    return isEarly;
  }

  /** Returns the cluster's topology, which never changes. Reports a failed read only after 1 minute. */
  #shape(): DoctorFacts["shape"] {
    const { list } = this.#infrastructure;
    if (list.isAssessed) return assessed(readClusterShape(list.value[0]));
    return list.reason === "Listing" ? notAssessed("NotServed") : list;
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
