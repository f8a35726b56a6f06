// VirtPlatformConfigs that the API server must accept, and those that it must refuse with a given message.

export type ConfigCase = {
  readonly reason: string;
  readonly spec: Readonly<Record<string, unknown>> & { readonly profile: string };
  readonly name?: string;
};

const density = (virtHigherDensity: object, more: object = {}) => ({
  profile: "virt-higher-density",
  options: { virtHigherDensity },
  ...more,
});
const loadAware = (options: object) => ({ profile: "load-aware-rebalancing", options: { loadAware: options } });
const availability = (vmHighAvailability: object) => ({
  profile: "vm-high-availability",
  options: { vmHighAvailability },
});
const ksm = (...matchExpressions: readonly object[]) =>
  density({ ksmConfiguration: { nodeLabelSelector: { matchExpressions } } });
const labelled = (matchLabels: Readonly<Record<string, string>>) =>
  density({ ksmConfiguration: { nodeLabelSelector: { matchLabels } } });
const bare = (more: object) => ({ profile: "virt-higher-density", ...more });
const many = <T>(count: number, make: (at: number) => T) => Array.from({ length: count }, (_, at) => make(at));

/** The seeds' examples are samples, which have a separate test. */
export const accepted: readonly ConfigCase[] = [
  {
    reason: "fence agents with one member of the template",
    spec: availability({ remediation: "FenceAgentsThenSelf", fenceAgentsTemplate: { name: "ipmi.example" } }),
  },
  { reason: "a number of healthy nodes", spec: availability({ minHealthy: "9999", stormCooldownSeconds: 0 }) },
  { reason: "a profile alone", spec: { profile: "load-aware-rebalancing" } },
  { reason: "a profile without options", spec: { profile: "example-profile", action: "Apply" } },
  { reason: "empty options", spec: bare({ options: {} }) },
  { reason: "empty options of a profile that has none", spec: { profile: "example-profile", options: {} } },
  { reason: "an empty loadAware", spec: loadAware({}) },
  { reason: "an empty virtHigherDensity", spec: density({}) },
  {
    reason: "a high ratio alone, because swap is on by default",
    spec: density({ memoryToRequestRatio: 200 }),
  },
  { reason: "no swap alone", spec: density({ enableSwap: false }) },
  {
    reason: "no swap and the highest ratio that does not need it",
    spec: density({ enableSwap: false, memoryToRequestRatio: 120 }),
  },
  { reason: "eviction limits at their bounds", spec: loadAware({ evictionLimitTotal: 1000, evictionLimitNode: 1 }) },
  { reason: "a timeout in hours and minutes", spec: bare({ waitTimeout: "1h30m" }) },
  { reason: "a timeout in fractions", spec: bare({ waitTimeout: "0.5s" }) },
  {
    reason: "guards at their bounds",
    spec: bare({ guards: { maxBlockingVMs: 0, maxNodes: 5000, requireCapacity: true } }),
  },
  { reason: "empty guards", spec: bare({ guards: {} }) },
  { reason: "an approved plan", spec: bare({ approvedPlan: "0123456789abcdef".repeat(4) }) },
  { reason: "KSM that is disabled explicitly", spec: density({ ksmConfiguration: { enabled: false } }) },
  {
    reason: "every operator with the values it needs",
    spec: ksm(
      { key: "zone", operator: "In", values: ["a", "b"] },
      { key: "zone", operator: "NotIn", values: ["c"] },
      { key: "ksm", operator: "Exists" },
      { key: "old", operator: "DoesNotExist", values: [] },
    ),
  },
  {
    reason: "labels of every form",
    spec: labelled({
      "node-role.kubernetes.io/worker": "",
      "a.B_c-9": "x".repeat(63),
      [`${"x".repeat(63)}.io/${"y".repeat(63)}`]: "A_b.c-d",
    }),
  },
  {
    reason: "the maximum number of requirements and values",
    spec: ksm(...many(16, () => ({ key: "zone", operator: "In", values: many(64, (at) => `zone-${at}`) }))),
  },
];

export type RefusedConfigCase = ConfigCase & { readonly says: readonly string[] };

const singleton = "To ensure a singleton pattern, the VirtPlatformConfig name must exactly match the spec.profile.";
const needsSwap = "memoryToRequestRatio > 120 requires enableSwap=true";
const noKey = "must be a label key: an optional DNS prefix and a slash, then at most 63 letters";
const noValue = "must be a label value: at most 63 letters";
const selector = "values must be non-empty for operators In and NotIn and empty for Exists and DoesNotExist";
const duration = "waitTimeout must be a duration such as 24h, 90m or 1h30m";
const [low, high] = ["should be greater than or equal to", "should be less than or equal to"];
const unsupported = ["Unsupported value"];

export const refused: readonly RefusedConfigCase[] = [
  {
    reason: "a name that differs from the profile",
    name: "mine",
    spec: { profile: "example-profile" },
    says: [singleton],
  },
  { reason: "an unknown profile", spec: { profile: "faster" }, says: unsupported },
  { reason: "an unknown action", spec: bare({ action: "Preview" }), says: unsupported },
  { reason: "an unknown failure policy", spec: bare({ failurePolicy: "Retry" }), says: unsupported },
  { reason: "an unknown mode", spec: loadAware({ mode: "Manual" }), says: unsupported },
  { reason: "an unknown threshold", spec: loadAware({ devDeviationThresholds: "Lowest" }), says: unsupported },
  { reason: "an unknown operator", spec: ksm({ key: "zone", operator: "Gt", values: ["1"] }), says: unsupported },
  {
    reason: "no swap with a ratio that needs it",
    spec: density({ enableSwap: false, memoryToRequestRatio: 121 }),
    says: [needsSwap],
  },
  {
    reason: "load-aware rebalancing with the options of higher density",
    spec: { profile: "load-aware-rebalancing", options: { virtHigherDensity: {} } },
    says: [
      "When profile is 'load-aware-rebalancing', only options.loadAware may be set",
      "options.virtHigherDensity can only be used with profile 'virt-higher-density'",
    ],
  },
  {
    reason: "higher density with the options of both profiles",
    spec: { profile: "virt-higher-density", options: { virtHigherDensity: {}, loadAware: {} } },
    says: [
      "When profile is 'virt-higher-density', only options.virtHigherDensity may be set",
      "options.loadAware can only be used with profile 'load-aware-rebalancing'",
    ],
  },
  {
    reason: "options for a profile that has none",
    spec: { profile: "example-profile", options: { loadAware: {} } },
    says: ["options.loadAware can only be used with profile 'load-aware-rebalancing'"],
  },
  {
    reason: "a fence agents template without fence agents",
    spec: availability({ fenceAgentsTemplate: {} }),
    says: ["fenceAgentsTemplate needs remediation FenceAgents or FenceAgentsThenSelf"],
  },
  {
    reason: "a template name that is not a DNS name",
    spec: availability({ remediation: "FenceAgents", fenceAgentsTemplate: { name: "A b" } }),
    says: ["should match"],
  },
  { reason: "a share over 100%", spec: availability({ minHealthy: "101%" }), says: ["should match"] },
  {
    reason: "remediation after 29 seconds",
    spec: availability({ unhealthySeconds: 29 }),
    says: ["greater than or equal to 30"],
  },
  { reason: "an unknown option", spec: density({ enableSwop: true }), says: ["unknown field"] },
  { reason: "an interval under a minute", spec: loadAware({ deschedulingIntervalSeconds: 30 }), says: [low] },
  { reason: "an interval over a day", spec: loadAware({ deschedulingIntervalSeconds: 999_999 }), says: [high] },
  { reason: "a ratio under 100", spec: density({ memoryToRequestRatio: 50 }), says: [low] },
  { reason: "a ratio over 300", spec: density({ memoryToRequestRatio: 500 }), says: [high] },
  { reason: "an eviction limit of 0", spec: loadAware({ evictionLimitTotal: 0 }), says: [low] },
  { reason: "an eviction limit over 100 per node", spec: loadAware({ evictionLimitNode: 101 }), says: [high] },
  { reason: "a guard of 0 nodes", spec: bare({ guards: { maxNodes: 0 } }), says: ["greater than or equal to 1"] },
  {
    reason: "a guard beyond its range",
    spec: bare({ guards: { maxBlockingVMs: 10_001 } }),
    says: ["less than or equal to 10000"],
  },
  { reason: "a timeout in days", spec: bare({ waitTimeout: "1d" }), says: [duration] },
  { reason: "a timeout in words", spec: bare({ waitTimeout: "abc" }), says: [duration] },
  { reason: "a timeout without a unit", spec: bare({ waitTimeout: "24" }), says: [duration] },
  { reason: "a negative timeout", spec: bare({ waitTimeout: "-5m" }), says: [duration] },
  { reason: "a timeout of 0", spec: bare({ waitTimeout: "0s" }), says: ["waitTimeout must be greater than zero"] },
  {
    reason: "a timeout of many parts",
    spec: bare({ waitTimeout: "1h".repeat(17) }),
    says: ["may not be more than 32"],
  },
  { reason: "an approved plan that is not a hash", spec: bare({ approvedPlan: "xyz" }), says: ["should match"] },
  { reason: "In without values", spec: ksm({ key: "zone", operator: "In" }), says: [selector] },
  { reason: "NotIn with no values", spec: ksm({ key: "zone", operator: "NotIn", values: [] }), says: [selector] },
  { reason: "Exists with values", spec: ksm({ key: "zone", operator: "Exists", values: ["a"] }), says: [selector] },
  ...["a b", "-a", "a-", "a/b/c", "/a", "Example.com/a", "a..b/c", "x".repeat(64), `${"x".repeat(64)}.io/a`].flatMap(
    (key): readonly RefusedConfigCase[] => [
      {
        reason: `a requirement on the invalid label key '${key}'`,
        spec: ksm({ key, operator: "Exists" }),
        says: [noKey],
      },
      { reason: `the invalid label key '${key}'`, spec: labelled({ [key]: "a" }), says: [`each key ${noKey}`] },
    ],
  ),
  ...["a b", "-a", "a_", "ä"].flatMap((value): readonly RefusedConfigCase[] => [
    {
      reason: `a requirement on the invalid label value '${value}'`,
      spec: ksm({ key: "zone", operator: "In", values: [value] }),
      says: [noValue],
    },
    { reason: `the invalid label value '${value}'`, spec: labelled({ zone: value }), says: [`each value ${noValue}`] },
  ]),
  {
    reason: "a requirement with an empty key",
    spec: ksm({ key: "", operator: "Exists" }),
    says: ["at least 1 chars long"],
  },
  { reason: "a requirement without an operator", spec: ksm({ key: "zone" }), says: ["Required value"] },
  {
    reason: "too many requirements",
    spec: ksm(...many(17, () => ({ key: "zone", operator: "Exists" }))),
    says: ["must have at most 16 items"],
  },
  {
    reason: "a label value that is too long",
    spec: density({ ksmConfiguration: { nodeLabelSelector: { matchLabels: { zone: "z".repeat(64) } } } }),
    says: ["may not be more than 63"],
  },
];
