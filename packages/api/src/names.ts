// Names that users see. They are part of the API and never change.

/** The API group, version and kind of VirtPlatformConfig. The CRD must match. */
export const configKind = {
  group: "advisor.kubevirt.io",
  version: "v1alpha1",
  apiVersion: "advisor.kubevirt.io/v1alpha1",
  kind: "VirtPlatformConfig",
  plural: "virtplatformconfigs",
} as const;

/** The field managers for server-side apply. Each controller uses its name to find its own entries in managedFields. */
export const fieldManagers = { advisor: "virt-advisor-operator", platform: "virt-platform-operator" } as const;

/** These profiles write different objects, and earlier releases applied them under the advisor's own name. */
const profilesUnderOwnName: readonly string[] = ["example-profile", "load-aware-rebalancing", "virt-higher-density"];

/**
 * Returns the field manager of a profile's plans. Profiles may write different fields of one object. Server-side apply
 * removes the fields that a manager no longer applies, so each profile needs a manager of its own.
 */
export function profileManager(profile: string): string {
  return profilesUnderOwnName.includes(profile) ? fieldManagers.advisor : `${fieldManagers.advisor}-${profile}`;
}

/** Reports whether the advisor writes under this field manager, for any profile. */
export function isAdvisorManager(manager: string): boolean {
  return manager === fieldManagers.advisor || manager.startsWith(`${fieldManagers.advisor}-`);
}

/** The default namespaces of each operator: first the one in the manifests, then the one that the OLM bundle suggests. */
export const usualOperatorNamespaces = {
  advisor: ["virt-advisor-operator-system", "virt-operators-system"],
  platform: ["virt-platform-operator-system", "virt-operators-system"],
} as const;

/** The prefixes of the metrics of each controller. Other names are those of client-go and Prometheus clients. */
export const metricPrefixes = { advisor: "kubevirt_advisor_", platform: "kubevirt_platform_" } as const;

/** The Services through which Prometheus scrapes each controller. Their names are the `job` of the series. */
export const metricsServices = {
  advisor: "virt-advisor-operator-metrics",
  platform: "virt-platform-operator-metrics",
} as const;

/** The label on every object that the platform controller applies. */
export const managedByLabel = { key: "platform.kubevirt.io/managed-by", value: "virt-platform-operator" } as const;

/** The annotations and the label on configs that the advisor created to advertise a profile. */
export const advertising = {
  autoCreated: "advisor.kubevirt.io/auto-created",
  description: "advisor.kubevirt.io/description",
  impactSummary: "advisor.kubevirt.io/impact-summary",
  documentation: "advisor.kubevirt.io/documentation-url",
  category: "advisor.kubevirt.io/category",
} as const;

/** The annotation for a rejected plan. Its value is the plan hash, optionally followed by a space and a reason. */
export const rejectedPlanAnnotation = "advisor.kubevirt.io/rejected-plan";

/** The annotation for the last decision about the plan. Its value is JSON. The advisor does not verify the user name in it. */
export const decisionAnnotation = "advisor.kubevirt.io/decision";

/** Value: `true`, `false`, or a comma-separated list of assets or groups. It activates the platform controller. */
export const activationAnnotation = "platform.kubevirt.io/virt-platform-operator";

/** The switch of virt-platform-autopilot. Earlier releases of the platform controller were activated by it. */
export const autopilotAnnotation = "platform.kubevirt.io/autopilot";

/** The Go operator virt-platform-autopilot: the name of its Deployment, its field manager and the value of its label. */
export const autopilotName = "virt-platform-autopilot";

/** Keeps an object with `mode: unmanaged` managed by the operator that the value names. */
export const governorAnnotation = "platform.kubevirt.io/governor";

/** The public repository, for links in messages. Without a final slash. */
export const repositoryUrl = "https://github.com/kubevirt/virt-operators";
