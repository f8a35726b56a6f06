// The panels about both controllers in reading order: health, required actions, activity and cost.

import { lines, number, type Panel } from "./panel.ts";

const quantile = (histogram: string, by = "") =>
  `histogram_quantile(0.99, sum by (le${by}) (rate(${histogram}_bucket[5m])))`;

/** The panels of the dashboard about both controllers, for every viewer. */
export const operatorPanels: readonly Panel[] = [
  number(
    "Advisor leaders",
    "Replicas that may write. The expected number is 1.",
    "sum(kubevirt_advisor_leader) or vector(0)",
  ),
  number(
    "Platform leaders",
    "Replicas that may write. The expected number is 1.",
    "sum(kubevirt_platform_leader) or vector(0)",
  ),
  number(
    "Objects out of sync",
    "Golden objects that cannot be applied.",
    "count(max by (kind, name, namespace) (kubevirt_platform_compliance_status) == 0) or vector(0)",
  ),
  number(
    "Plans waiting for review",
    "Plans that need a review although their action is Apply.",
    "count(max by (name) (kubevirt_advisor_config_review_forced) == 1) or vector(0)",
  ),
  lines("Configs by phase", "short", "VirtPlatformConfigs, by phase.", {
    "{{phase}}": "count by (phase) (max by (name, phase) (kubevirt_advisor_config_phase))",
  }),
  lines("Drift, stale plans, upgrades", "short", "VirtPlatformConfigs that differ from their approved plan.", {
    "{{name}} drifted": "max by (name) (kubevirt_advisor_config_drifted)",
    "{{name}} plan stale": "max by (name) (kubevirt_advisor_config_plan_stale)",
    "{{name}} upgrade available": "max by (name) (kubevirt_advisor_config_upgrade_available)",
  }),
  lines("Plans: nodes and VMs", "short", "Impact of pending and running plans: nodes by pool, VMs by outcome.", {
    "{{name}} nodes of {{pool}}: {{class}}": "max by (name, pool, class) (kubevirt_advisor_impact_nodes)",
    "{{name}} VMs: {{outcome}}": "max by (name, outcome) (kubevirt_advisor_impact_vms) > 0",
    "{{name}} has room for VMs": "max by (name) (kubevirt_advisor_impact_capacity)",
  }),
  lines("Plans: duration", "s", "Estimated rollout duration of pending and running plans, not counting blocked time.", {
    "{{name}} {{bound}}": "max by (name, bound) (kubevirt_advisor_impact_duration_seconds)",
  }),
  lines("Rollout: nodes updated", "short", "Nodes that run the change of an item, and all nodes of the pool.", {
    "{{name}} {{item}} {{pool}}": 'max by (name, item, pool) (kubevirt_advisor_rollout_machines{state="updated"})',
    "{{pool}} of": 'max by (pool) (kubevirt_advisor_rollout_machines{state="total"})',
    "{{pool}} degraded": 'max by (pool) (kubevirt_advisor_rollout_machines{state="degraded"}) > 0',
  }),
  lines("Plan items", "short", "Items of all plans, by state.", {
    "{{state}}": "sum by (state) (max by (name, state) (kubevirt_advisor_plan_items))",
  }),
  lines("Compliance", "short", "Golden objects: 1 in sync, 0 failed.", {
    "{{kind}} {{namespace}}/{{name}}": "max by (kind, namespace, name) (kubevirt_platform_compliance_status)",
  }),
  lines("Paused and contested", "short", "Objects that the platform controller does not change, by reason.", {
    "{{kind}} {{name}} paused: {{reason}}": "max by (kind, name, reason) (kubevirt_platform_paused_resources) > 0",
    "{{kind}} {{name}} contested fields": "max by (kind, name) (kubevirt_platform_contested_fields)",
    "{{kind}} {{name}} invalid {{type}}": "max by (kind, name, type) (kubevirt_platform_invalid_override)",
  }),
  lines("Writes and corrections", "short", "Per second, averaged over five minutes.", {
    "items written: {{result}}": "sum by (result) (rate(kubevirt_advisor_item_writes_total[5m]))",
    "drifts detected": "sum(rate(kubevirt_advisor_drift_detected_total[5m]))",
    "edit wars": "sum(rate(kubevirt_platform_thrashing_total[5m]))",
  }),
  lines("Missing", "short", "Kinds that an enabled asset or a config needs and that the cluster does not serve.", {
    "{{name}} needs {{kind}}": "max by (name, kind) (kubevirt_advisor_missing_prerequisites)",
    "platform needs {{kind}}": "max by (kind) (kubevirt_platform_missing_dependency) > 0",
  }),
  lines("Requests to the API server", "reqps", "Requests by verb, and failed requests by code.", {
    "advisor {{verb}}": "sum by (verb) (rate(kubevirt_advisor_requests_total[5m]))",
    "platform {{verb}}": "sum by (verb) (rate(kubevirt_platform_requests_total[5m]))",
    "advisor failed: {{code}}": 'sum by (code) (rate(kubevirt_advisor_requests_total{code!~"2.."}[5m]))',
    "platform failed: {{code}}": 'sum by (code) (rate(kubevirt_platform_requests_total{code!~"2.."}[5m]))',
  }),
  lines("Duration of a reconcile (p99)", "s", "Duration of a reconcile of one config or object.", {
    advisor: quantile("kubevirt_advisor_reconcile_duration_seconds"),
    platform: quantile("kubevirt_platform_reconcile_duration_seconds"),
  }),
  lines("Work queues", "short", "Waiting keys and retries.", {
    "{{name}} waiting": "sum by (name) (workqueue_depth)",
    "{{name}} retries per second": "sum by (name) (rate(workqueue_retries_total[5m]))",
  }),
  lines("Memory", "bytes", "Resident memory of the processes.", {
    "{{pod}}": "process_resident_memory_bytes and on (pod) (kubevirt_advisor_leader or kubevirt_platform_leader)",
  }),
];
