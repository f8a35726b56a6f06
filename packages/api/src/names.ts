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

/** The label on every object that the platform controller applies. */
export const managedByLabel = { key: "platform.kubevirt.io/managed-by", value: "virt-platform-operator" } as const;

/** The annotations and the label on configs that the advisor created to advertise a profile. */
export const advertising = {
  autoCreated: "advisor.kubevirt.io/auto-created",
  description: "advisor.kubevirt.io/description",
  impactSummary: "advisor.kubevirt.io/impact-summary",
  category: "advisor.kubevirt.io/category",
} as const;

/** The annotation for a rejected plan. Its value is the plan hash, optionally followed by a space and a reason. */
export const rejectedPlanAnnotation = "advisor.kubevirt.io/rejected-plan";

/** The annotation for the last decision about the plan. Its value is JSON. The advisor does not verify the user name in it. */
export const decisionAnnotation = "advisor.kubevirt.io/decision";

/**
 * The annotation that enables the platform controller. Its value is `true`, or a comma-separated list of assets or
 * groups. Without it, the controller is idle, unless it runs with --activation=always.
 */
export const autopilotAnnotation = "platform.kubevirt.io/autopilot";

/** The public repository, for links in messages. Without a final slash. */
export const repositoryUrl = "https://github.com/kubevirt/virt-operators";
