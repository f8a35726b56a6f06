// Diagnoses a rollout from a single list of each kind, without a watch.

import type { KubeObject, RolloutFinding } from "@virt/api";
import { readMachineConfigPool } from "@virt/cluster";
import type { FindingId } from "./catalogue.ts";
import { diagnoseRollout } from "./diagnose-rollout.ts";
import type { DoctorFacts, RolloutChange } from "./rollout-view.ts";

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
