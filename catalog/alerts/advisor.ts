import { type Alert, last, noLeader } from "./alert.ts";

/** All replicas export the same series, so this combines them into one alert per config. */
const ofAny = (labels: string, series: string) => `max by (namespace, ${labels}) (${series})`;
const metric = (labels: string, name: string, matchers?: string) => ofAny(labels, last("advisor", name, matchers));
const config = "VirtPlatformConfig {{ $labels.name }}";

/** The alerts, in the order of the runbooks. The manifests install them in a PrometheusRule. */
export const advisorAlerts: readonly Alert[] = [
  {
    alert: "VirtAdvisorReviewWaiting",
    expr: `${metric("name", "config_review_forced")} == 1`,
    lasting: "1h",
    severity: "info",
    impact: "none",
    summary: "A new plan is waiting for review after an approval.",
    description: `${config} is set to Apply, but its inputs, its targets or the operator changed after the approval. The new plan has been waiting for review for an hour.`,
  },
  {
    alert: "VirtAdvisorRolloutStuck",
    expr: `${metric("name", "rollout_stuck")} == 1`,
    lasting: "15m",
    severity: "warning",
    impact: "warning",
    summary: "A node rollout is stuck and needs intervention.",
    description: `The rollout of ${config} is stuck. Its condition Stalled names the cause and the command to run.`,
  },
  {
    alert: "VirtAdvisorPlanFailed",
    expr: `${metric("name, phase", "config_phase", 'phase=~"Failed|CompletedWithErrors"')} == 1`,
    lasting: "15m",
    severity: "warning",
    impact: "warning",
    summary: "An approved plan failed.",
    description: `${config} is in phase {{ $labels.phase }}: at least one item of its plan is not applied.`,
  },
  {
    alert: "VirtAdvisorDrifted",
    expr: `${metric("name", "config_drifted")} == 1`,
    lasting: "1h",
    severity: "warning",
    impact: "warning",
    summary: "Another client changed objects that a plan applied.",
    description: `Targets of ${config} have differed from the applied plan for an hour. The advisor does not change them until you decide.`,
  },
  {
    alert: "VirtAdvisorPrerequisiteMissing",
    expr: `${metric("name, phase", "config_phase", 'phase="PrerequisiteFailed"')} == 1`,
    lasting: "30m",
    severity: "info",
    impact: "none",
    summary: "A requested profile has missing prerequisites.",
    description: `${config} cannot be planned because an operator, an object or a valid option is missing. The plan is drafted automatically once the prerequisite is available.`,
  },
  noLeader("VirtAdvisorDown", "advisor"),
];
