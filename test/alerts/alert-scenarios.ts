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

const object = { kind: "KubeletConfig", name: "virt-perf-settings", pod: "a" };
const namespace = "virt-advisor-operator-system";
const density = { name: "virt-higher-density", namespace };

const written = (labels: Readonly<Record<string, string>>) =>
  `{${Object.entries(labels)
    .map(([name, value]) => `${name}="${value}"`)
    .join(",")}}`;

const platform = (metric: string, labels: Readonly<Record<string, string>>, values: string) => ({
  [`kubevirt_autopilot_${metric}${written(labels)}`]: values,
});
/** Two replicas expose the same series, but only one alert must fire. */
const advisor = (metric: string, labels: Readonly<Record<string, string>>, values: string) =>
  Object.fromEntries(["a", "b"].map((pod) => [`kubevirt_advisor_${metric}${written({ ...labels, pod })}`, values]));

const platformScenarios: readonly AlertScenario[] = [
  {
    alert: "VirtPlatformSyncFailed",
    reason: "an object that cannot be applied for a quarter of an hour, until it can",
    series: platform("compliance_status", object, "1x4 0x20 1x20"),
    fires: ["21m"],
    quiet: ["4m", "18m", "30m"],
    labels: object,
  },
  {
    alert: "VirtPlatformSyncFailed",
    reason: "scrapes that are missed in between resolve nothing",
    series: platform("compliance_status", object, "0x12 _x3 0x10"),
    fires: ["16m"],
    quiet: ["10m"],
    labels: object,
  },
  {
    alert: "VirtPlatformSyncFailed",
    reason: "an object that is not managed any more",
    series: platform("compliance_status", object, "0x20 stale"),
    fires: ["20m"],
    quiet: ["27m"],
    labels: object,
  },
  {
    alert: "VirtPlatformThrashingDetected",
    reason: "an edit war, until a person ends it",
    series: platform("paused_resources", { ...object, reason: "edit-war" }, "0x4 1x10 0x10"),
    fires: ["7m"],
    quiet: ["4m", "16m"],
    labels: { ...object, reason: "edit-war" },
  },
  {
    alert: "VirtPlatformThrashingDetected",
    reason: "a pause that a person wanted is no edit war",
    series: platform("paused_resources", { ...object, reason: "manual" }, "1x20"),
    fires: [],
    quiet: ["10m", "20m"],
  },
  {
    alert: "VirtPlatformDependencyMissing",
    reason: "a CRD that comes late",
    series: platform("missing_dependency", { group: "metallb.io", version: "v1beta1", kind: "MetalLB" }, "1x10 0x10"),
    fires: ["6m"],
    quiet: ["3m", "12m"],
    labels: { group: "metallb.io", version: "v1beta1", kind: "MetalLB" },
  },
  {
    alert: "VirtPlatformInvalidOverride",
    reason: "an annotation that is mended, so that its series goes",
    series: platform("invalid_override", { ...object, type: "patch" }, "1x14 stale"),
    fires: ["11m"],
    quiet: ["8m", "21m"],
    labels: { ...object, type: "patch" },
  },
  {
    alert: "VirtPlatformTombstoneStuck",
    reason: "a deletion that is refused for half an hour",
    series: platform("tombstone_status", object, "-1x40 0x10"),
    fires: ["32m"],
    quiet: ["25m", "42m"],
    labels: object,
  },
  {
    alert: "VirtPlatformContested",
    reason: "fields of others for an hour, until they are adopted",
    series: platform("contested_fields", object, "2x70 stale"),
    fires: ["62m"],
    quiet: ["55m", "77m"],
    labels: object,
    value: "2",
  },
  {
    alert: "VirtPlatformDown",
    reason: "no replica leads, until one does",
    series: { ...platform("leader", { pod: "a" }, "1x4 0x20 1x20"), ...platform("leader", { pod: "b" }, "0x44") },
    fires: ["17m"],
    quiet: ["4m", "12m", "26m"],
  },
  {
    alert: "VirtPlatformDown",
    reason: "nothing is scraped any more",
    series: platform("leader", { pod: "a" }, "1x4 _x40 1x10"),
    fires: ["22m"],
    quiet: ["4m", "15m", "46m"],
  },
];

const advisorScenarios: readonly AlertScenario[] = [
  {
    alert: "VirtAdvisorReviewWaiting",
    reason: "a plan that nobody asked for, until it is approved",
    series: advisor("config_review_forced", density, "1x70 0x10"),
    fires: ["62m"],
    quiet: ["55m", "72m"],
    labels: density,
  },
  {
    alert: "VirtAdvisorRolloutStuck",
    reason: "a cause that nobody removes for a quarter of an hour, until somebody does",
    series: advisor("rollout_stuck", density, "0x4 1x30 0x10"),
    fires: ["22m"],
    quiet: ["4m", "18m", "37m"],
    labels: density,
  },
  {
    alert: "VirtAdvisorRolloutStuck",
    reason: "causes that go by themselves within ten minutes are no alert",
    series: advisor("rollout_stuck", density, "1x10 0x5 1x10 0x5"),
    fires: [],
    quiet: ["9m", "20m", "26m", "30m"],
  },
  {
    alert: "VirtAdvisorPlanFailed",
    reason: "a plan that failed, until its phase is another one",
    series: advisor("config_phase", { ...density, profile: density.name, phase: "Failed" }, "1x20 stale"),
    fires: ["16m"],
    quiet: ["12m", "27m"],
    labels: { ...density, phase: "Failed" },
  },
  {
    alert: "VirtAdvisorPlanFailed",
    reason: "a plan with errors",
    series: advisor("config_phase", { ...density, profile: density.name, phase: "CompletedWithErrors" }, "1x20"),
    fires: ["16m"],
    quiet: ["12m"],
    labels: { ...density, phase: "CompletedWithErrors" },
  },
  {
    alert: "VirtAdvisorDrifted",
    reason: "drift for an hour, until it is undone",
    series: advisor("config_drifted", density, "1x70 0x10"),
    fires: ["62m"],
    quiet: ["55m", "72m"],
    labels: density,
  },
  {
    alert: "VirtAdvisorPrerequisiteMissing",
    reason: "an operator that is installed after half an hour",
    series: advisor("config_phase", { ...density, profile: density.name, phase: "PrerequisiteFailed" }, "1x40 stale"),
    fires: ["32m"],
    quiet: ["25m", "47m"],
    labels: { ...density, phase: "PrerequisiteFailed" },
  },
  {
    alert: "VirtAdvisorDown",
    reason: "no replica leads, until one does",
    series: advisor("leader", {}, "1x4 0x20 1x20"),
    fires: ["17m"],
    quiet: ["4m", "12m", "26m"],
  },
  {
    alert: "VirtAdvisorDown",
    reason: "nothing is scraped any more",
    series: advisor("leader", {}, "1x4 _x40 1x10"),
    fires: ["22m"],
    quiet: ["4m", "15m", "46m"],
  },
];

export const alertScenarios: readonly AlertScenario[] = [...platformScenarios, ...advisorScenarios];
