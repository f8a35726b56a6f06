// A diagnosis by whoever has not watched the rollout: what can be told from one list of each kind, and what was seen for the first time.

import type { KubeObject, RolloutFinding } from "@virt/api";
import { asList, asText, at, member } from "@virt/engine";
import type { FindingId } from "./catalogue.ts";
import { diagnoseRollout } from "./diagnose-rollout.ts";
import type { DoctorFacts, RolloutChange } from "./rollout-view.ts";

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

/**
 * What cannot have begun later than the cluster tells counts from then, whoever asks: what keeps a VM on a node since its drain began, a reboot
 * since it is reported, a migration without a target since one is looked for. Anything else is young.
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
