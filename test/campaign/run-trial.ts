// Runs one trial on a clean cluster until the operator is idle, and returns its violations.

import type { AuditEvent, FaultPlan, TracedRequest } from "@virt/testkit";
import type { LogLine } from "../support/program.ts";
import type { CampaignCluster, ProxiedOperator } from "./campaign-cluster.ts";
import { type EndState, endState } from "./end-state.ts";
import { findViolations } from "./find-violations.ts";
import { waitUntilIdle } from "./quiet.ts";
import { runLoadAware } from "./workload.ts";

export type TrialRun = {
  readonly violations: readonly string[];
  /** True if a fault was injected. After the first fault a run differs and may never reach the second. */
  readonly isStruck: boolean;
  readonly state: EndState;
  readonly trace: readonly TracedRequest[];
  readonly audit: readonly AuditEvent[];
  readonly logs: readonly (readonly LogLine[])[];
};

export type TrialOptions = {
  readonly plans: readonly FaultPlan[];
  readonly reference?: EndState;
};

export async function runTrial(cluster: CampaignCluster, { plans, reference }: TrialOptions): Promise<TrialRun> {
  const operator = await cluster.prepare();
  const armed = plans.map((plan) => operator.proxy.arm(plan));
  const failures = [
    ...(await failuresOf(() => runLoadAware(cluster, operator))),
    ...(await failuresOf(() => waitUntilIdle(cluster))),
  ];
  const state = await endState(cluster);
  const audit = cluster.audit.events();
  const found = findViolations({ audit, state, operators: operator.operators }, reference);
  const trace = operator.proxy.trace();
  const ending = await failuresOf(operator.end);
  const violations = [...failures, ...found, ...ending];
  return {
    violations,
    isStruck: armed.some((hasFired) => hasFired()),
    state,
    trace,
    audit,
    logs: logsOf(operator),
  };
}

async function failuresOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  try {
    await work();
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

function logsOf({ operators }: ProxiedOperator): TrialRun["logs"] {
  return operators.map(({ log }) => log);
}
