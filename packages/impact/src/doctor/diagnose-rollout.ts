// Diagnoses a rollout: its progress, the blocking causes with their start times, and the next command. Also from one
// list of each kind, without a watch.

import type { FindingSeverity, ImpactGap, KubeObject, NodeRollout, RolloutFinding, RolloutStatus } from "@virt/api";
import { readMachineConfigPool } from "@virt/cluster";
import { writeTime } from "@virt/objects";
import { assessedOr } from "../assessed.ts";
import { assessBudgets } from "../cost-limit.ts";
import { largePodGaps } from "../impact-gaps.ts";
import { describeCommand, type FindingId, fillCommand, fillMessage, findingCatalogue } from "./catalogue.ts";
import type { CatalogueEntry } from "./catalogue-nodes.ts";
import { nodeCauses } from "./node-causes.ts";
import { operatorCauses, poolCauses } from "./pool-causes.ts";
import { predictRollout, type RolloutPrediction } from "./remaining-time.ts";
import { boundRollout, countPool, isPoolRendered, summarizeRollout, worstFirst } from "./rollout-status.ts";
import {
  type DoctorFacts,
  hcoNamespaceOf,
  isInHand,
  type PoolView,
  type RolloutCause,
  type RolloutChange,
  stepOfNode,
  viewPools,
} from "./rollout-view.ts";
import { aboutFinding, findingKey, observePool, Sightings, type SightingTimes, sightingsOf } from "./sightings.ts";
import { findStoppedVms, seeRunningVms, withStoppedVms } from "./stopped-vms.ts";
import { DrainedVmCauses } from "./vm-causes.ts";

/** The diagnosed rollout, and data that the next diagnosis needs. */
export type Diagnosis = {
  readonly rollout: RolloutStatus;
  readonly sightings: SightingTimes;
  /** VMs that were seen on the nodes of the rollout, as namespace/name. `stoppedVms` are the ones that are not running now. */
  readonly ranVms: ReadonlySet<string>;
  readonly stoppedVms: readonly string[];
  /** When the next cause reaches an age threshold, in milliseconds. Undefined if none will. */
  readonly nextAt: number | undefined;
};

const mostPerNode = 5;

/**
 * Diagnoses a rollout. Never throws or waits. Inputs that could not be read result in no findings. Times are from the
 * operator's clock.
 */
export function diagnoseRollout(given: DoctorFacts): Diagnosis {
  const budgets = assessBudgets(given.budgets, given.drainedPods);
  const facts = { ...given, budgets, notAssessed: [...given.notAssessed, ...drainGaps(given)] };
  const known = new Map([...sightingsOf(facts.before), ...facts.sightings]);
  const sightings = new Sightings(known, facts.now, facts.isUnwatched);
  const pools = viewPools(facts, sightings);
  const prediction = predictRollout(pools, facts, sightings);
  const aged = ageCauses(pools, prediction, facts, sightings);
  const lists = {
    ...(prediction.remaining && {
      remaining: { lowSeconds: prediction.remaining.low, highSeconds: prediction.remaining.high },
    }),
    pools: pools.map((pool) => {
      const observed = observePool(pool, facts.before, sightings);
      const rendered = isPoolRendered(pool) ? {} : { rendered: false };
      return { name: pool.name, ...countPool(pool), ...rendered, ...(observed && { observed }) };
    }),
    nodes: pools.flatMap(nodesOf).toSorted((left, right) => attention(left) - attention(right)),
    findings: aged.findings,
  };
  const more = { pools: 0, nodes: 0, findings: aged.left };
  const ranVms = seeRunningVms(facts, pools);
  const stoppedVms = findStoppedVms(ranVms, facts);
  const gaps = gapsToShow(facts);
  const shown = { summary: summarizeRollout(lists), ...lists, ...(gaps.length > 0 && { notAssessed: gaps }), more };
  const whole = withStoppedVms(shown, stoppedVms, facts.areVmsNamed);
  return { rollout: boundRollout(whole), sightings: sightings.seen, ranVms, stoppedVms, nextAt: aged.nextAt };
}

/** Keeps the message of a gap while its reason stays the same, because a failing server often changes the text of its errors. */
function gapsToShow({ notAssessed, before }: DoctorFacts): readonly ImpactGap[] {
  const known = before?.notAssessed ?? [];
  return notAssessed.map((gap) => known.find(({ what, reason }) => what === gap.what && reason === gap.reason) ?? gap);
}

type AgedCauses = {
  readonly findings: readonly RolloutFinding[];
  readonly left: number;
  readonly nextAt: number | undefined;
};

function ageCauses(
  pools: readonly PoolView[],
  { drainSecondsOf }: RolloutPrediction,
  facts: DoctorFacts,
  sightings: Sightings,
): AgedCauses {
  const context = {
    facts,
    sightings,
    vms: new DrainedVmCauses(facts, pools, sightings),
    drainSecondsOf,
  };
  const groups = pools.flatMap((pool) => {
    const causes = poolCauses(pool, facts, sightings);
    const isOperatorIdle = causes.some(({ id }) => id === "ControllerDown");
    const ofNodes = pool.nodes.map((view) => nodeCauses(view, pool, { ...context, isOperatorIdle }));
    return [
      { causes, most: Number.POSITIVE_INFINITY },
      ...ofNodes.map((each) => ({ causes: each, most: mostPerNode })),
    ];
  });
  const all = [...groups, { causes: operatorCauses(facts), most: Number.POSITIVE_INFINITY }].map(({ causes, most }) => {
    const aged = causes.map((cause) => ageCause(cause, facts, sightings));
    const findings = uniqueFindings(aged.flatMap(({ finding }) => finding ?? []));
    return { aged, listed: findings.slice(0, most), left: Math.max(0, findings.length - most) };
  });
  const nextTimes = [sightings, ...all.flatMap(({ aged }) => aged)].flatMap(({ nextAt }) => nextAt ?? []);
  return {
    findings: uniqueFindings(all.flatMap(({ listed }) => listed)),
    left: all.reduce((sum, { left }) => sum + left, 0),
    nextAt: nextTimes.length === 0 ? undefined : nextTimes.reduce((least, each) => Math.min(least, each)),
  };
}

type AgedCause = { readonly finding?: RolloutFinding; readonly nextAt?: number };

function ageCause(cause: RolloutCause, facts: DoctorFacts, sightings: Sightings): AgedCause {
  const { id, node, object } = cause;
  const key = findingKey(id, aboutFinding(node, object));
  // Restores the first-seen time, because a restart of the process must not reduce the age of a finding.
  const seen = cause.since ?? sightings.seeSince(key, cause.reportedSince);
  const since = Math.min(seen, sightings.before(key) ?? Number.POSITIVE_INFINITY);
  const ages = (findingCatalogue[id] as CatalogueEntry).ages.map((each) => ({
    severity: cause.severity ?? each.severity,
    at: since + (cause.ageSeconds ?? each.seconds) * 1000,
  }));
  const reached = ages.findLast(({ at }) => at <= facts.now);
  const coming = ages.find(({ at }) => at > facts.now);
  return {
    ...(reached && { finding: writeFinding(cause, reached.severity, since, facts) }),
    ...(coming && { nextAt: coming.at }),
  };
}

function writeFinding(
  cause: RolloutCause,
  severity: FindingSeverity,
  since: number,
  facts: DoctorFacts,
): RolloutFinding {
  const { id, node, object, values } = cause;
  const entry: CatalogueEntry = findingCatalogue[id];
  const names = { hco: hcoNamespaceOf(facts), ...cause.names };
  const command = entry.command === undefined ? describeCommand(object) : fillCommand(entry.command, names);
  return {
    id,
    severity,
    ...(node !== undefined && { node }),
    object,
    message: fillMessage(entry.message, values),
    ...(command !== undefined && command !== "none" && { command }),
    since: writeTime(Math.floor(since / 1000) * 1000),
  };
}

// Sorts the findings by severity, worst first. If VM names are hidden, VMs share one finding per node and namespace.
function uniqueFindings(findings: readonly RolloutFinding[]): readonly RolloutFinding[] {
  const keyOf = ({ id, node, object, message }: RolloutFinding) =>
    JSON.stringify([id, node, object, object?.name === "*" ? "" : message]);
  return [...Map.groupBy(worstFirst(findings), keyOf).values()].flatMap(([first]) => first ?? []);
}

function nodesOf({ name: pool, nodes }: PoolView): readonly NodeRollout[] {
  return nodes.map(({ node, phase, since, report }) => {
    const step = isInHand(phase) ? stepOfNode(node, report) : undefined;
    const at = writeTime(Math.floor(since / 1000) * 1000);
    return { name: node.name, pool, phase, since: at, ...(step !== undefined && { step }) };
  });
}

function attention({ phase }: NodeRollout): number {
  if (isInHand(phase) || phase === "Degraded") return 0;
  return phase === "Waiting" ? 1 : 2;
}

/**
 * A diagnosis. `young` contains causes that become findings only if they last longer. The controller does not report
 * them yet.
 */
export type OnceDiagnosis = Pick<ReturnType<typeof diagnoseRollout>, "rollout"> & {
  readonly young: readonly RolloutFinding[];
};

const laterMs = 3_600_000;

/** Findings whose only cause is that a time limit has passed, so they cannot be predicted. */
const ofTimeAlone: ReadonlySet<string> = new Set<FindingId>([
  "CertificateExpired",
  "ControllerDown",
  "DrainSlow",
  "KubeletDown",
  "MigrationSlow",
  "RebootOverdue",
]);

/**
 * Diagnoses a rollout. Ages are measured from reported times, such as the start of a drain. A cause without such a time
 * counts as recent.
 */
export function diagnoseOnce(facts: DoctorFacts): OnceDiagnosis {
  const unwatched = { ...facts, isUnwatched: true };
  const { rollout, sightings } = diagnoseRollout(unwatched);
  const later = diagnoseRollout({ ...unwatched, sightings, now: facts.now + laterMs });
  const isNew = (finding: RolloutFinding) =>
    !ofTimeAlone.has(finding.id) &&
    !rollout.findings.some(({ id, message }) => id === finding.id && message === finding.message);
  return { rollout, young: later.rollout.findings.filter(isNew) };
}

/** Returns a change that represents everything that the pool is rolling out. It is named after the pool's first source. */
export function changeOfPool(pool: KubeObject): RolloutChange {
  const [machineConfig = ""] = readMachineConfigPool(pool).target.sources;
  return {
    machineConfig: machineConfig || pool.metadata.name,
    operation: machineConfig === "" ? "Delete" : "Apply",
    pools: [pool.metadata.name],
    hasKubeletDropIn: false,
  };
}

/** Returns the gaps: at most one for pods and one for budgets. Their names differ from those for kinds that could not be read. */
export function drainGaps({
  drainedPods,
  budgets,
}: Pick<DoctorFacts, "drainedPods" | "budgets">): readonly ImpactGap[] {
  const names = { pods: "Pod labels", budgets: "PodDisruptionBudget selectors" };
  return largePodGaps([...drainedPods.values()].flat(), assessedOr(assessBudgets(budgets, drainedPods), []), names);
}
