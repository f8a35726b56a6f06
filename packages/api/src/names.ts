// Names that users see. They never change.

export const configKind = {
  group: "advisor.kubevirt.io",
  version: "v1alpha1",
  apiVersion: "advisor.kubevirt.io/v1alpha1",
  kind: "VirtPlatformConfig",
  plural: "virtplatformconfigs",
} as const;

export const fieldManagers = { advisor: "virt-advisor-operator", platform: "virt-platform-operator" } as const;

/** On every object that the platform controller applies. */
export const managedByLabel = { key: "platform.kubevirt.io/managed-by", value: "virt-platform-operator" } as const;

/** On configs that the advisor made to show what there is. */
export const advertising = {
  autoCreated: "advisor.kubevirt.io/auto-created",
  description: "advisor.kubevirt.io/description",
  impactSummary: "advisor.kubevirt.io/impact-summary",
  category: "advisor.kubevirt.io/category",
} as const;

export const autopilotAnnotation = "platform.kubevirt.io/autopilot";

/** Where people find sources, runbooks and issues. */
export const repositoryUrl = "https://github.com/kubevirt/virt-operators";
