// Diagnoses a rollout from one list of each kind, without watching it.

import type { KubeObject, RolloutFinding } from "@virt/api";
import { readMachineConfigPool } from "@virt/cluster";
import type { FindingId } from "./catalogue.ts";
import { diagnoseRollout } from "./diagnose-rollout.ts";
import type { DoctorFacts, RolloutChange } from "./rollout-view.ts";

/** `young` has causes that become findings if they last. A watching controller does not report them yet. */
export type OnceDiagnosis = Pick<ReturnType<typeof diagnoseRollout>, "rollout"> & {
  readonly young: readonly RolloutFinding[];
};

const laterMs = 3_600_000;

/** These findings only mean that time has passed, so they cannot be predicted. */
const ofTimeAlone: ReadonlySet<string> = new Set<FindingId>([
  "CertificateExpired",
  "ControllerDown",
  "DrainSlow",
  "KubeletDown",
  "MigrationSlow",
  "RebootOverdue",
]);

/** Measures ages from reported times, such as the start of a drain. A cause without one is young. */
export function diagnoseOnce(facts: DoctorFacts): OnceDiagnosis {
  const unwatched = { ...facts, isUnwatched: true };
  const { rollout, sightings } = diagnoseRollout(unwatched);
  const later = diagnoseRollout({ ...unwatched, sightings, now: facts.now + laterMs });
  const isNew = (finding: RolloutFinding) =>
    !ofTimeAlone.has(finding.id) &&
    !rollout.findings.some(({ id, message }) => id === finding.id && message === finding.message);
  return { rollout, young: later.rollout.findings.filter(isNew) };
}

/** Returns a change that stands for everything the pool rolls out. It has the name of the pool's first source. */
export function changeOfPool(pool: KubeObject): RolloutChange {
  const [machineConfig = ""] = readMachineConfigPool(pool).target.sources;
  return {
    machineConfig: machineConfig || pool.metadata.name,
    operation: machineConfig === "" ? "Delete" : "Apply",
    pools: [pool.metadata.name],
    hasKubeletDropIn: false,
  };
}
