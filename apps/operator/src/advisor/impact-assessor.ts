// Assesses the impact of pending plans from informers and single reads. Requeues their configs when it may have
// changed.

import { isMachineConfig } from "@virt/advisor";
import type { Impact, KubeObject, PoolDisruption, VirtPlatformConfig } from "@virt/api";
import { affectedPools, infrastructureInformer } from "@virt/cluster";
import {
  type Assessment,
  assessed,
  assessImpact,
  type ImpactFacts,
  isStillListing,
  neededReads,
  notAssessed,
} from "@virt/impact";
import type { Clock, InformerSpec, InformerState, ReconcileContext } from "@virt/kube";
import { writeTime } from "@virt/objects";
import { collectImpactFacts, ImpactReads, InformerLists, inLanes, ReadRetries, refusalOf } from "@virt/reads";
import type { ReadCache } from "../read-cache.ts";
import type { AdvisorRuntime } from "./runtime.ts";

const debounceMs = 5_000;
/** The first assessment waits this long for lists. Lists that are still incomplete are reported as gaps. */
const patienceMs = 10_000;
const warningRestMs = 600_000;
/** A rendered config may have 1 MB. Unread configs count as a reboot. */
const mostConfigs = 8;

export type ImpactAssessorOptions = {
  readonly find: (spec: InformerSpec) => InformerState | undefined;
  readonly pools: () => readonly KubeObject[];
  readonly hco: (config: VirtPlatformConfig) => KubeObject | undefined;
  /** Returns the disruption of all pools. Undefined if only the status is known. */
  readonly disruption: (config: VirtPlatformConfig) => readonly PoolDisruption[] | undefined;
  readonly clock: Pick<Clock, "wall" | "monotonic" | "schedule">;
  readonly remembered: ReadCache;
  readonly hidesVmNames: boolean;
  readonly wake: () => void;
};

type AssessedPlan = {
  readonly planHash: string | undefined;
  readonly sinceMs: number;
  readonly reads: ImpactReads;
  infrastructure: Assessment<readonly KubeObject[]> | undefined;
  readonly infrastructureRetries: ReadRetries;
  last: { readonly impact: Impact; readonly atMs: number; readonly revision: number } | undefined;
};

export class ImpactAssessor {
  readonly #options: ImpactAssessorOptions;
  readonly #lists: InformerLists;
  readonly #plans = new Map<string, AssessedPlan>();
  readonly #warnedAt = new Map<string, number>();
  #revision = 0;
  #isWaking = false;
  #retry: { readonly atMs: number; readonly cancel: () => void } | undefined;

  constructor(options: ImpactAssessorOptions) {
    this.#options = options;
    this.#lists = new InformerLists(options.find);
  }

  /** Notes a change of a watched object. Requeues the configs once for all changes of the next seconds. */
  noticeChange(): void {
    this.#revision += 1;
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

  noticeList(): void {
    this.#revision += 1;
  }

  /** Assesses the plan. Undefined: still waiting for lists. `isUrgent` ignores a recent result. */
  async assess(
    config: VirtPlatformConfig,
    context: ReconcileContext & Pick<AdvisorRuntime, "discovery">,
    isUrgent: boolean,
  ): Promise<Impact | undefined> {
    const nowMs = this.#options.clock.monotonic();
    const plan = this.#planOf(config, nowMs);
    const known = isUrgent ? undefined : this.#lastOf(plan, nowMs);
    // The result is still valid, so this updates its time, which determines the next status write.
    if (known !== undefined) return { ...known, assessedAt: this.#assessedAt() };
    const revision = this.#revision;
    const facts = await this.#load(plan, config, context, nowMs);
    const impact = assessImpact(facts, { hidesVmNames: this.#options.hidesVmNames });
    this.#scheduleRetry(plan);
    if (isStillListing(impact)) this.noticeChange();
    if (isStillListing(impact) && nowMs - plan.sinceMs < patienceMs) return undefined;
    plan.last = { impact, atMs: nowMs, revision };
    return impact;
  }

  #lastOf({ last, reads, infrastructureRetries }: AssessedPlan, nowMs: number): Impact | undefined {
    if (last === undefined) return undefined;
    const isDue = nowMs >= Math.min(reads.dueAt, infrastructureRetries.dueAt);
    const isKnown = last.revision === this.#revision && !isDue;
    if (isKnown) return last.impact;
    if (nowMs - last.atMs >= debounceMs || isStillListing(last.impact)) return undefined;
    this.#wakeSoon();
    return last.impact;
  }

  /** Schedules the next assessment for changes without an event, such as a newly granted permission. */
  #scheduleRetry({ reads, infrastructureRetries }: AssessedPlan): void {
    const { clock, wake } = this.#options;
    const nowMs = clock.monotonic();
    const due = [this.#lists.patientUntil ?? Number.POSITIVE_INFINITY, reads.retryAt, infrastructureRetries.dueAt];
    const atMs = Math.min(...due.filter((each) => each > nowMs));
    if (atMs === Number.POSITIVE_INFINITY || (this.#retry !== undefined && this.#retry.atMs <= atMs)) return;
    this.#retry?.cancel();
    const cancel = clock.schedule(atMs - nowMs, () => {
      this.#retry = undefined;
      this.#revision += 1;
      wake();
    });
    this.#retry = { atMs, cancel };
  }

  #assessedAt(): string {
    return writeTime(Math.floor(this.#options.clock.wall() / 1000) * 1000);
  }

  isWarned(name: string): boolean {
    const before = this.#warnedAt.get(name);
    return before !== undefined && this.#options.clock.monotonic() - before < warningRestMs;
  }

  noteWarning(name: string): void {
    this.#warnedAt.set(name, this.#options.clock.monotonic());
  }

  forget(name: string): void {
    this.#plans.delete(name);
  }

  #planOf({ metadata: { name }, status }: VirtPlatformConfig, nowMs: number): AssessedPlan {
    const known = this.#plans.get(name);
    if (known !== undefined && known.planHash === status?.planHash) return known;
    const plan: AssessedPlan = {
      planHash: status?.planHash,
      sinceMs: nowMs,
      reads: new ImpactReads({ restsWhenRefused: true }),
      infrastructure: undefined,
      infrastructureRetries: new ReadRetries({ restsWhenRefused: true }),
      last: undefined,
    };
    this.#plans.set(name, plan);
    return plan;
  }

  /** Loads the single reads that the lists require, and returns them with the same lists. */
  async #load(
    plan: AssessedPlan,
    config: VirtPlatformConfig,
    { cluster, discovery, sender, signal }: ReconcileContext & Pick<AdvisorRuntime, "discovery">,
    nowMs: number,
  ): Promise<ImpactFacts> {
    const { remembered, clock } = this.#options;
    await readInfrastructure(plan, cluster, nowMs);
    const facts = this.#facts(plan, config, nowMs);
    const needed = neededReads(facts);
    await inLanes(needed.configs.slice(0, mostConfigs), async (name) => {
      await remembered.renderedIfDue(name, cluster);
    });
    const reading = { sender, discovery, reader: cluster, signal, now: nowMs };
    const isPatient = () => clock.monotonic() - plan.sinceMs < patienceMs;
    const { isWhole } = await plan.reads.loadAll(needed, reading, isPatient);
    if (!isWhole) this.noticeChange();
    return { ...facts, runStrategies: plan.reads.runStrategies, pods: plan.reads.pods };
  }

  #facts(plan: AssessedPlan, config: VirtPlatformConfig, nowMs: number): ImpactFacts {
    const { hco, disruption, remembered, pools } = this.#options;
    return collectImpactFacts({
      assessedAt: this.#assessedAt(),
      disruption: disruption(config) ?? disruptionOfPlan(config, pools()),
      renderedOf: (name) => remembered.renderedNow(name),
      list: (spec) => (spec === infrastructureInformer ? infrastructureOf(plan) : this.#lists.list(spec, nowMs)),
      hco: hco(config),
      reads: plan.reads,
    });
  }
}

/** Returns the recorded disruption. Assumes reboots if the draft of a drifted plan changed nothing. */
function disruptionOfPlan({ status }: VirtPlatformConfig, pools: readonly KubeObject[]): readonly PoolDisruption[] {
  if (status?.disruption !== undefined || status?.phase === "ReviewRequired") return status.disruption ?? [];
  const written = (status?.items ?? []).filter(isMachineConfig).flatMap(({ desiredState }) => desiredState ?? []);
  const names = new Set(written.flatMap((object) => affectedPools(pools, object)));
  return [...names].toSorted().map((pool) => ({ pool, class: "Reboot" }));
}

/** Reads the Infrastructure once per plan, because it does not change while the plan waits. */
async function readInfrastructure(plan: AssessedPlan, cluster: ReconcileContext["cluster"], nowMs: number) {
  const { infrastructureRetries: retries } = plan;
  if (plan.infrastructure !== undefined || !retries.mayRead(nowMs)) return;
  const { apiVersion, kind, name = "" } = infrastructureInformer;
  const reading = await cluster.read({ apiVersion, kind, name });
  if (reading.kind === "found") plan.infrastructure = assessed([reading.object]);
  else if (reading.kind === "absent" || reading.kind === "missing") plan.infrastructure = notAssessed("NotServed");
  const message = "message" in reading ? reading.message : "";
  retries.note(plan.infrastructure === undefined ? { ...refusalOf(reading), message } : undefined, nowMs);
}

function infrastructureOf({ infrastructure, infrastructureRetries: { refusal } }: AssessedPlan) {
  if (infrastructure !== undefined) return infrastructure;
  return refusal === undefined ? notAssessed("Listing") : notAssessed(refusal.reason, refusal.message);
}
