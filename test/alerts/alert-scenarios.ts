// Scenarios for every alert: the series per minute, when the alert fires, and when it does not.

export type AlertScenario = {
  readonly alert: string;
  readonly reason: string;
  /** One value per minute, in promtool notation. */
  readonly series: Readonly<Record<string, string>>;
  readonly fires: readonly string[];
  readonly quiet: readonly string[];
  /** Labels of the alert in addition to those of every alert of its controller. */
  readonly labels?: Readonly<Record<string, string>>;
  /** The expansion of `{{ $value }}`. */
  readonly value?: string;
};

const job = "virt-platform-operator-metrics";
const object = { kind: "KubeletConfig", name: "virt-perf-settings", pod: "a", job };
const namespace = "virt-advisor-operator-system";
const density = { name: "virt-higher-density", namespace };

const written = (labels: Readonly<Record<string, string>>) =>
  `{${Object.entries(labels)
    .map(([name, value]) => `${name}="${value}"`)
    .join(",")}}`;

const platform = (metric: string, labels: Readonly<Record<string, string>>, values: string) => ({
  [`kubevirt_platform_${metric}${written({ job, ...labels })}`]: values,
});
/** Two replicas expose the same series, but only one alert must fire. */
const advisor = (metric: string, labels: Readonly<Record<string, string>>, values: string) =>
  Object.fromEntries(
    ["a", "b"].map((pod) => [
      `kubevirt_advisor_${metric}${written({ job: "virt-advisor-operator-metrics", ...labels, pod })}`,
      values,
    ]),
  );

const platformScenarios: readonly AlertScenario[] = [
  {
    alert: "VirtPlatformSyncFailed",
    reason: "fires after 15 minutes of failed syncs, and clears",
    series: platform("compliance_status", object, "1x4 0x20 1x20"),
    fires: ["21m"],
    quiet: ["4m", "18m", "30m"],
    labels: object,
  },
  {
    alert: "VirtPlatformSyncFailed",
    reason: "keeps firing across missed scrapes",
    series: platform("compliance_status", object, "0x12 _x3 0x10"),
    fires: ["16m"],
    quiet: ["10m"],
    labels: object,
  },
  {
    alert: "VirtPlatformSyncFailed",
    reason: "clears when the object is no longer managed",
    series: platform("compliance_status", object, "0x20 stale"),
    fires: ["20m"],
    quiet: ["27m"],
    labels: object,
  },
  {
    alert: "VirtPlatformSyncFailed",
    reason: "does not fire for a series of another product",
    series: platform("compliance_status", { ...object, job: "virt-platform-autopilot" }, "0x30"),
    fires: [],
    quiet: ["16m", "29m"],
  },
  {
    alert: "VirtPlatformThrashingDetected",
    reason: "fires during an edit war, and clears when a user ends it",
    series: platform("paused_resources", { ...object, reason: "edit-war" }, "0x4 1x10 0x10"),
    fires: ["7m"],
    quiet: ["4m", "16m"],
    labels: { ...object, reason: "edit-war" },
  },
  {
    alert: "VirtPlatformThrashingDetected",
    reason: "does not fire for a pause that a user requested",
    series: platform("paused_resources", { ...object, reason: "manual" }, "1x20"),
    fires: [],
    quiet: ["10m", "20m"],
  },
  {
    alert: "VirtPlatformDependencyMissing",
    reason: "fires for a missing CRD, and clears after its installation",
    series: platform("missing_dependency", { group: "metallb.io", version: "v1beta1", kind: "MetalLB" }, "1x10 0x10"),
    fires: ["6m"],
    quiet: ["3m", "12m"],
    labels: { group: "metallb.io", version: "v1beta1", kind: "MetalLB", job },
  },
  {
    alert: "VirtPlatformInvalidOverride",
    reason: "clears when the annotation is fixed and its series ends",
    series: platform("invalid_override", { ...object, type: "patch" }, "1x14 stale"),
    fires: ["11m"],
    quiet: ["8m", "21m"],
    labels: { ...object, type: "patch" },
  },
  {
    alert: "VirtPlatformTombstoneStuck",
    reason: "fires after 30 minutes of refused deletions",
    series: platform("tombstone_status", object, "-1x40 0x10"),
    fires: ["32m"],
    quiet: ["25m", "42m"],
    labels: object,
  },
  {
    alert: "VirtPlatformContested",
    reason: "fires after an hour of contested fields, and clears after adoption",
    series: platform("contested_fields", object, "2x70 stale"),
    fires: ["62m"],
    quiet: ["55m", "77m"],
    labels: object,
    value: "2",
  },
  {
    alert: "VirtPlatformDown",
    reason: "fires without a leader, and clears when one leads",
    series: { ...platform("leader", { pod: "a" }, "1x4 0x20 1x20"), ...platform("leader", { pod: "b" }, "0x44") },
    fires: ["17m"],
    quiet: ["4m", "12m", "26m"],
  },
  {
    alert: "VirtPlatformDown",
    reason: "fires when only the metrics of another product are scraped",
    series: {
      ...platform("leader", { pod: "a" }, "1x4 _x40 1x10"),
      ...platform("leader", { pod: "a", job: "virt-platform-autopilot" }, "1x60"),
    },
    fires: ["22m"],
    quiet: ["4m", "15m", "46m"],
  },
];

const advisorScenarios: readonly AlertScenario[] = [
  {
    alert: "VirtAdvisorReviewWaiting",
    reason: "fires for an unrequested plan, and clears after its approval",
    series: advisor("config_review_forced", density, "1x70 0x10"),
    fires: ["62m"],
    quiet: ["55m", "72m"],
    labels: density,
  },
  {
    alert: "VirtAdvisorRolloutStuck",
    reason: "fires after 15 minutes with the same cause, and clears",
    series: advisor("rollout_stuck", density, "0x4 1x30 0x10"),
    fires: ["22m"],
    quiet: ["4m", "18m", "37m"],
    labels: density,
  },
  {
    alert: "VirtAdvisorRolloutStuck",
    reason: "does not fire for causes that end within 10 minutes",
    series: advisor("rollout_stuck", density, "1x10 0x5 1x10 0x5"),
    fires: [],
    quiet: ["9m", "20m", "26m", "30m"],
  },
  {
    alert: "VirtAdvisorPlanFailed",
    reason: "fires for a failed plan, and clears when its phase changes",
    series: advisor("config_phase", { ...density, profile: density.name, phase: "Failed" }, "1x20 stale"),
    fires: ["16m"],
    quiet: ["12m", "27m"],
    labels: { ...density, phase: "Failed" },
  },
  {
    alert: "VirtAdvisorPlanFailed",
    reason: "fires for a plan that completed with errors",
    series: advisor("config_phase", { ...density, profile: density.name, phase: "CompletedWithErrors" }, "1x20"),
    fires: ["16m"],
    quiet: ["12m"],
    labels: { ...density, phase: "CompletedWithErrors" },
  },
  {
    alert: "VirtAdvisorDrifted",
    reason: "fires after an hour of drift, and clears when it is reverted",
    series: advisor("config_drifted", density, "1x70 0x10"),
    fires: ["62m"],
    quiet: ["55m", "72m"],
    labels: density,
  },
  {
    alert: "VirtAdvisorPrerequisiteMissing",
    reason: "fires for a missing operator, and clears after its installation",
    series: advisor("config_phase", { ...density, profile: density.name, phase: "PrerequisiteFailed" }, "1x40 stale"),
    fires: ["32m"],
    quiet: ["25m", "47m"],
    labels: { ...density, phase: "PrerequisiteFailed" },
  },
  {
    alert: "VirtAdvisorDown",
    reason: "fires without a leader, and clears when one leads",
    series: advisor("leader", {}, "1x4 0x20 1x20"),
    fires: ["17m"],
    quiet: ["4m", "12m", "26m"],
  },
  {
    alert: "VirtAdvisorDown",
    reason: "fires when no metrics are scraped",
    series: advisor("leader", {}, "1x4 _x40 1x10"),
    fires: ["22m"],
    quiet: ["4m", "15m", "46m"],
  },
];

export const alertScenarios: readonly AlertScenario[] = [...platformScenarios, ...advisorScenarios];
