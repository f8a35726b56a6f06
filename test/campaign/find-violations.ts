// Finds violations of one run in the audit log, in the end state and in the exits of the operator's processes.

import { isDeepStrictEqual } from "node:util";
import { type AuditEvent, checkInvariants } from "@virt/testkit";
import { policyDenials } from "../../tools/rights/policy-denials.ts";
import type { RunningProgram } from "../support/program.ts";
import { account } from "./campaign-cluster.ts";
import type { EndState } from "./end-state.ts";

export type FinishedRun = {
  readonly audit: readonly AuditEvent[];
  readonly state: EndState;
  readonly operators: readonly RunningProgram[];
};

export function findViolations(
  { audit, state, operators }: FinishedRun,
  reference: EndState | undefined,
): readonly string[] {
  const { violations, writes } = checkInvariants(audit, { accounts: [account] });
  return [
    ...violations.map(({ invariant, message }) => `${invariant}: ${message}`),
    ...wrongWrites(writes),
    ...policyDenials(audit).map((denial) => `an admission policy denied ${denial}`),
    ...(reference === undefined ? [] : differences(state, reference)),
    ...operators.flatMap(complaints),
  ];
}

const once = { creates: 0, applies: 1, updates: 0, deletes: 0 };
const wanted: Readonly<Record<string, unknown>> = {
  "kubedeschedulers.operator.openshift.io/openshift-kube-descheduler-operator/cluster": once,
  "machineconfigs.machineconfiguration.openshift.io/99-worker-psi-karg": once,
};

const ownAffairs = ["virtplatformconfigs.", "events.", "leases."];

/** Expects each item to be applied exactly once and nothing else to be written. An apply without a change counts. */
function wrongWrites(writes: Readonly<Record<string, unknown>>): readonly string[] {
  const foreign = Object.fromEntries(
    Object.entries(writes).filter(([object]) => !ownAffairs.some((own) => object.startsWith(own))),
  );
  return isDeepStrictEqual(foreign, wanted) ? [] : [`wrote ${JSON.stringify(foreign)}`];
}

function differences(state: EndState, reference: EndState): readonly string[] {
  return Object.keys(reference)
    .filter((part) => !isDeepStrictEqual(state[part], reference[part]))
    .map((part) => `${part} is ${JSON.stringify(state[part])}, not ${JSON.stringify(reference[part])}`);
}

/** The operator may exit only because of a fault, and prints nothing outside its log. */
function complaints({ child, words }: RunningProgram): readonly string[] {
  const exit = child.exitCode === null ? [] : [`the operator exited without a fault, with code ${child.exitCode}`];
  return words() === "" ? exit : [...exit, `the operator said: ${words()}`];
}
