// Assesses what the plans on display would do, from informers and single reads, while one waits; and wakes their configs when that may have changed.

import { isMachineConfig } from "@virt/advisor";
import type { Impact, KubeObject, PoolDisruption, VirtPlatformConfig } from "@virt/api";
import { affectedPools, writeTime } from "@virt/engine";
import { infrastructureInformer } from "@virt/facts";
import { type Assessment, assessed, assessImpact, type ImpactFacts, neededReads, notAssessed } from "@virt/impact";
import type { Clock, InformerSpec, InformerState, ReconcileContext } from "@virt/kube";
import { collectImpactFacts, ImpactReads, InformerLists, inLanes } from "@virt/reads";
import type { ReadCache } from "../read-cache.ts";
import type { AdvisorRuntime } from "./runtime.ts";

/** Many objects change at once: one assessment for all. */
const debounceMs = 5_000;
/** The first one waits so long for lists; what is not listed then is named as such. */
const patienceMs = 10_000;
/** What was refused is asked for again after this time. */
const refusedMs = 300_000;
/** What was read one by one gets old. */
const ageMs = 600_000;
/** Each may be a megabyte; of what is not read a reboot is assumed. */
const mostConfigs = 8;

export type ImpactAssessorOptions = {
  readonly find: (spec: InformerSpec) => InformerState | undefined;
  readonly pools: () => readonly KubeObject[];
  readonly hco: (config: VirtPlatformConfig) => KubeObject | undefined;
  readonly clock: Pick<Clock, "wall" | "monotonic" | "schedule">;
  readonly remembered: ReadCache;
  readonly hidesVmNames: boolean;
  /** Reconciles the configs whose plans are assessed. */
  readonly wake: () => void;
};

/** What is remembered of one plan. */
type AssessedPlan = {
  readonly planHash: string | undefined;
  readonly sinceMs: number;
  readonly reads: ImpactReads;
  infrastructure: Assessment<readonly KubeObject[]> | undefined;
  /** Requests were refused, or nothing was left to read, until then. */
  readAgainMs: number;
  last: { readonly impact: Impact; readonly atMs: number; readonly revision: number } | undefined;
};

export class ImpactAssessor {
  readonly #options: ImpactAssessorOptions;
  readonly #lists: InformerLists;
  readonly #plans = new Map<string, AssessedPlan>();
  readonly #warnedAt = new Map<string, number>();
  /** Moves with every change that may matter. */
  #revision = 0;
  #isWaking = false;

  constructor(options: ImpactAssessorOptions) {
    this.#options = options;
    this.#lists = new InformerLists(options.find);
  }

  /** Something that is followed for an assessment changed. The configs are reconciled once for all changes of the next seconds. */
  noticeChange(): void {
    this.#revision += 1;
    if (this.#isWaking) return;
    this.#isWaking = true;
    this.#options.clock.schedule(debounceMs, () => {
      this.#isWaking = false;
      this.#options.wake();
    });
  }

  /** A list came in, or will not: that does not happen often. */
  noticeList(): void {
    this.#revision += 1;
  }

  /** Undefined: too early to say anything. `isUrgent`: what was assessed a moment ago does not count. */
  async assess(
    config: VirtPlatformConfig,
    context: ReconcileContext & Pick<AdvisorRuntime, "discovery">,
    isUrgent: boolean,
  ): Promise<Impact | undefined> {
    const nowMs = this.#options.clock.monotonic();
    const plan = this.#planOf(config, nowMs);
    const isKnown = plan.last !== undefined && plan.last.revision === this.#revision && nowMs < plan.readAgainMs;
    const isRecent = plan.last !== undefined && nowMs - plan.last.atMs < debounceMs && !isListing(plan.last.impact);
    if (plan.last !== undefined && (isKnown || isRecent) && !isUrgent) return plan.last.impact;
    const revision = this.#revision;
    const facts = await this.#load(plan, config, context, nowMs);
    const impact = assessImpact(facts, { hidesVmNames: this.#options.hidesVmNames });
    if (isListing(impact)) this.noticeChange();
    if (isListing(impact) && nowMs - plan.sinceMs < patienceMs) return undefined;
    plan.last = { impact, atMs: nowMs, revision };
    return impact;
  }

  /** Once in ten minutes. */
  isWarned(name: string): boolean {
    const before = this.#warnedAt.get(name);
    return before !== undefined && this.#options.clock.monotonic() - before < ageMs;
  }

  noteWarning(name: string): void {
    this.#warnedAt.set(name, this.#options.clock.monotonic());
  }

  /** The config is gone, or its plan is not assessed any more. */
  forget(name: string): void {
    this.#plans.delete(name);
  }

  #planOf({ metadata: { name }, status }: VirtPlatformConfig, nowMs: number): AssessedPlan {
    const known = this.#plans.get(name);
    if (known !== undefined && known.planHash === status?.planHash) return known;
    const plan: AssessedPlan = {
      planHash: status?.planHash,
      sinceMs: nowMs,
      reads: new ImpactReads(),
      infrastructure: undefined,
      readAgainMs: 0,
      last: undefined,
    };
    this.#plans.set(name, plan);
    return plan;
  }

  /** What is read one by one belongs to the lists by which it was asked for. */
  async #load(
    plan: AssessedPlan,
    config: VirtPlatformConfig,
    { cluster, discovery, sender, signal }: ReconcileContext & Pick<AdvisorRuntime, "discovery">,
    nowMs: number,
  ): Promise<ImpactFacts> {
    const { remembered } = this.#options;
    plan.infrastructure ??= await readInfrastructure(cluster);
    const facts = this.#facts(plan, config, nowMs);
    const needed = neededReads(facts);
    await inLanes(needed.configs.slice(0, mostConfigs), async (name) => {
      await remembered.rendered(name, cluster);
    });
    if (nowMs >= plan.readAgainMs || !plan.reads.isRefused) {
      const { isWhole } = await plan.reads.load(needed, { sender, discovery, reader: cluster, signal, now: nowMs });
      plan.readAgainMs = nowMs + (plan.reads.isRefused ? refusedMs : ageMs);
      if (!isWhole) this.noticeChange();
    }
    return { ...facts, runStrategies: plan.reads.runStrategies, pods: plan.reads.pods };
  }

  #facts(plan: AssessedPlan, config: VirtPlatformConfig, nowMs: number): ImpactFacts {
    const { clock, hco, remembered, pools } = this.#options;
    const facts = collectImpactFacts({
      assessedAt: writeTime(Math.floor(clock.wall() / 1000) * 1000),
      disruption: disruptionOfPlan(config, pools()),
      renderedOf: (name) => remembered.renderedNow(name),
      list: (spec) =>
        spec === infrastructureInformer
          ? (plan.infrastructure ?? notAssessed("Listing"))
          : this.#lists.list(spec, nowMs),
      hco: hco(config),
      reads: plan.reads,
    });
    return { ...facts, restartSamples: restartSamplesOf(config) };
  }
}

/** A plan that is corrected has none on record if it changed nothing when it was drafted. */
function disruptionOfPlan({ status }: VirtPlatformConfig, pools: readonly KubeObject[]): readonly PoolDisruption[] {
  if (status?.disruption !== undefined || status?.phase === "ReviewRequired") return status.disruption ?? [];
  const written = (status?.items ?? []).filter(isMachineConfig).flatMap(({ desiredState }) => desiredState ?? []);
  const names = new Set(written.flatMap((object) => affectedPools(pools, object)));
  return [...names].toSorted().map((pool) => ({ pool, class: "Reboot" }));
}

function restartSamplesOf({ status }: VirtPlatformConfig): ImpactFacts["restartSamples"] {
  const observed = status?.rollout?.pools ?? [];
  return new Map(observed.map((pool) => [pool.name, pool.observed?.restartSeconds ?? []]));
}

function isListing({ notAssessed: gaps }: Impact): boolean {
  return gaps.some(({ reason }) => reason === "Listing");
}

/** Of a cluster that does not tell, nothing is assumed for long: the next plan asks again. */
async function readInfrastructure(cluster: ReconcileContext["cluster"]): Promise<Assessment<readonly KubeObject[]>> {
  const { apiVersion, kind, name = "" } = infrastructureInformer;
  const reading = await cluster.read({ apiVersion, kind, name });
  switch (reading.kind) {
    case "found":
      return assessed([reading.object]);
    case "absent":
    case "missing":
      return notAssessed("NotServed");
    case "rejected":
      return notAssessed("Forbidden", reading.message);
    case "unavailable":
      return notAssessed("Unavailable", reading.message);
  }
}
