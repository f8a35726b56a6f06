// Assesses the impact of pending plans, from informers and individual reads. Requeues a config if its impact may have
// changed.

import { isMachineConfig } from "@virt/advisor";
import type { Impact, KubeObject, PoolDisruption, VirtPlatformConfig } from "@virt/api";
import { affectedPools, infrastructureInformer } from "@virt/cluster";
import { assessImpact, type ImpactFacts, isStillListing } from "@virt/impact";
import type { Clock, InformerSpec, InformerState, ReconcileContext } from "@virt/kube";
import { writeTime } from "@virt/objects";
import { collectImpactFacts, ImpactReads, InformerLists, InfrastructureRead } from "@virt/reads";
import { loadImpactReads } from "../impact-reads.ts";
import type { ReadCache } from "../read-cache.ts";
import type { AdvisorRuntime } from "./runtime.ts";
import { wakeOnce } from "./wake-once.ts";

const debounceMs = 5_000;
/** The first assessment waits this long for informers to sync. Then it reports the missing lists as gaps. */
const patienceMs = 10_000;
const warningRestMs = 600_000;

export type ImpactAssessorOptions = {
  readonly find: (spec: InformerSpec) => InformerState | undefined;
  readonly pools: () => readonly KubeObject[];
  readonly hco: (config: VirtPlatformConfig) => KubeObject | undefined;
  /** Returns the disruption of each pool, or undefined if only the stored status is known. */
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
  /** Read once per plan, because it does not change while a plan is pending. */
  readonly infrastructure: InfrastructureRead;
  last: { readonly impact: Impact; readonly atMs: number; readonly revision: number } | undefined;
};

export class ImpactAssessor {
  readonly #options: ImpactAssessorOptions;
  readonly #lists: InformerLists;
  readonly #plans = new Map<string, AssessedPlan>();
  readonly #warnedAt = new Map<string, number>();
  readonly #wakeSoon: () => void;
  #revision = 0;
  #retry: { readonly atMs: number; readonly cancel: () => void } | undefined;

  constructor(options: ImpactAssessorOptions) {
    this.#options = options;
    this.#lists = new InformerLists(options.find);
    this.#wakeSoon = wakeOnce(options.clock, debounceMs, options.wake);
  }

  /** Call it when a watched object changes. Requeues the configs once for all changes within a few seconds. */
  noticeChange(): void {
    this.#revision += 1;
    this.#wakeSoon();
  }

  noticeList(): void {
    this.#revision += 1;
  }

  /** Assesses the plan. Returns undefined while informers are syncing. Set `isUrgent` to ignore a recent result. */
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

  #lastOf({ last, reads, infrastructure }: AssessedPlan, nowMs: number): Impact | undefined {
    if (last === undefined) return undefined;
    const isDue = nowMs >= Math.min(reads.dueAt, infrastructure.retryAt);
    const isKnown = last.revision === this.#revision && !isDue;
    if (isKnown) return last.impact;
    if (nowMs - last.atMs >= debounceMs || isStillListing(last.impact)) return undefined;
    this.#wakeSoon();
    return last.impact;
  }

  /** Schedules a reassessment, because some changes cause no event, such as a newly granted permission. */
  #scheduleRetry({ reads, infrastructure }: AssessedPlan): void {
    const { clock, wake } = this.#options;
    const nowMs = clock.monotonic();
    const due = [this.#lists.patientUntil ?? Number.POSITIVE_INFINITY, reads.retryAt, infrastructure.retryAt];
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
      infrastructure: new InfrastructureRead(),
      last: undefined,
    };
    this.#plans.set(name, plan);
    return plan;
  }

  /** Loads the objects that must be read individually, and returns them together with the lists. */
  async #load(
    plan: AssessedPlan,
    config: VirtPlatformConfig,
    context: ReconcileContext & Pick<AdvisorRuntime, "discovery">,
    nowMs: number,
  ): Promise<ImpactFacts> {
    const { remembered, clock } = this.#options;
    const { reads, infrastructure, sinceMs } = plan;
    await infrastructure.load(context.cluster, nowMs);
    const facts = this.#facts(plan, config, nowMs);
    const isPatient = () => clock.monotonic() - sinceMs < patienceMs;
    const reading = { reads, readCache: remembered, discovery: context.discovery, now: nowMs, isPatient };
    if (!(await loadImpactReads(facts, reading, context))) this.noticeChange();
    return { ...facts, runStrategies: reads.runStrategies, pods: reads.pods };
  }

  #facts(plan: AssessedPlan, config: VirtPlatformConfig, nowMs: number): ImpactFacts {
    const { hco, disruption, remembered, pools } = this.#options;
    return collectImpactFacts({
      assessedAt: this.#assessedAt(),
      disruption: disruption(config) ?? disruptionOfPlan(config, pools()),
      renderedOf: (name) => remembered.renderedNow(name),
      list: (spec) => (spec === infrastructureInformer ? plan.infrastructure.list : this.#lists.list(spec, nowMs)),
      hco: hco(config),
      reads: plan.reads,
    });
  }
}

/** Returns the disruption recorded in the status. For a drifted plan whose draft changed nothing, assumes reboots. */
function disruptionOfPlan({ status }: VirtPlatformConfig, pools: readonly KubeObject[]): readonly PoolDisruption[] {
  if (status?.disruption !== undefined || status?.phase === "ReviewRequired") return status.disruption ?? [];
  const written = (status?.items ?? []).filter(isMachineConfig).flatMap(({ desiredState }) => desiredState ?? []);
  const names = new Set(written.flatMap((object) => affectedPools(pools, object)));
  return [...names].toSorted().map((pool) => ({ pool, class: "Reboot" }));
}
