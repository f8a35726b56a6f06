// A diagnosis by whoever has not watched the rollout: what can be told from one list of each kind, and what was seen for the first time.

import type { KubeObject, RolloutFinding } from "@virt/api";
import { asList, asText, at, member, readTime } from "@virt/engine";
import { assessedOr } from "../assessed.ts";
import type { FindingId } from "./catalogue.ts";
import { diagnoseRollout } from "./diagnose-rollout.ts";
import type { MachineConfigNodeFact } from "./machine-config-nodes.ts";
import type { DoctorFacts, RolloutChange } from "./rollout-view.ts";
import { phaseKey, type SightingTimes } from "./sightings.ts";

/** `young` are causes that count as findings if they last; a controller that watches waits for that before it says them. */
export type OnceDiagnosis = Pick<ReturnType<typeof diagnoseRollout>, "rollout"> & {
  readonly young: readonly RolloutFinding[];
};

/** Long enough for every cause to come of age. */
const laterMs = 3_600_000;

/** These say only that time passes: nobody knows yet that they will come. */
const ofTimeAlone: ReadonlySet<string> = new Set<FindingId>([
  "CertificateExpired",
  "ControllerDown",
  "DrainSlow",
  "KubeletDown",
  "MigrationSlow",
  "RebootOverdue",
]);

/** What holds a drain has done so at most since the node was cordoned for it: the cluster tells that time, whoever asks. */
export function diagnoseOnce(facts: DoctorFacts): OnceDiagnosis {
  const first = diagnoseRollout(facts);
  const sightings = backdated(first.sightings, facts);
  const { rollout, sightings: known } = diagnoseRollout({ ...facts, sightings });
  const later = diagnoseRollout({ ...facts, sightings: known, now: facts.now + laterMs });
  const isNew = (finding: RolloutFinding) =>
    !ofTimeAlone.has(finding.id) &&
    !rollout.findings.some(({ id, message }) => id === finding.id && message === finding.message);
  return { rollout, young: later.rollout.findings.filter(isNew) };
}

function backdated(seen: SightingTimes, { now, machineConfigNodes }: DoctorFacts): SightingTimes {
  const starts = new Map(
    assessedOr(machineConfigNodes, []).flatMap((report) => {
      const start = drainStartOf(report);
      const isDraining = seen.has(phaseKey(report.name, "Draining"));
      return start !== undefined && isDraining ? [[report.name, Math.min(start, now)] as const] : [];
    }),
  );
  return new Map([...seen].map(([key, time]) => [key, time === now ? (starts.get(nodeOfKey(key)) ?? time) : time]));
}

function drainStartOf({ conditions: { Cordoned, Drained } }: MachineConfigNodeFact): number | undefined {
  const ofThisUpdate = [Cordoned, Drained].filter((condition) => condition?.status !== "False");
  const times = ofThisUpdate.flatMap((condition) => readTime(condition?.time ?? "") ?? []);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** `finding <id> <node> <object>`, `phase <node> Draining`, `drain without cause <node>`; else nothing. */
function nodeOfKey(key: string): string {
  const [, node = ""] = /^(?:finding \S+|phase|drain without cause) (\S+)(?: |$)/u.exec(key) ?? [];
  return node;
}

/** The pool as something that is rolled out, whoever changed it: what it was rendered from last. */
export function changeOfPool(pool: KubeObject): RolloutChange {
  const [source] = asList(at(pool, "spec", "configuration", "source"));
  const machineConfig = asText(member(source, "name"));
  return {
    machineConfig: machineConfig ?? pool.metadata.name,
    operation: machineConfig === undefined ? "Delete" : "Apply",
    pools: [pool.metadata.name],
    hasKubeletDropIn: false,
  };
}
