// Names that users see. They never change.

/** VirtPlatformConfig as the API server serves it; cluster scoped. */
export const configKind = {
  group: "advisor.kubevirt.io",
  version: "v1alpha1",
  apiVersion: "advisor.kubevirt.io/v1alpha1",
  kind: "VirtPlatformConfig",
  plural: "virtplatformconfigs",
} as const;

/** Under which name each controller applies; also the owner that it looks for in managedFields. */
export const fieldManagers = { advisor: "virt-advisor-operator", platform: "virt-platform-operator" } as const;

/** Namespaces in which the operators usually run: that of the manifests, then the one that the OLM bundle suggests. */
export const usualOperatorNamespaces = {
  advisor: ["virt-advisor-operator-system", "virt-operators-system"],
  platform: ["virt-platform-operator-system", "virt-operators-system"],
} as const;

/** On every object that the platform controller applies. */
export const managedByLabel = { key: "platform.kubevirt.io/managed-by", value: "virt-platform-operator" } as const;

/** On configs that the advisor made to show what there is. */
export const advertising = {
  autoCreated: "advisor.kubevirt.io/auto-created",
  description: "advisor.kubevirt.io/description",
  impactSummary: "advisor.kubevirt.io/impact-summary",
  category: "advisor.kubevirt.io/category",
} as const;

/** On a config whose plan a person has rejected: the hash of that plan, and after a space the reason, if one was given. */
export const rejectedPlanAnnotation = "advisor.kubevirt.io/rejected-plan";

/** On a config: the last decision about its plan as JSON, with the user's name as the deciding tool knew it. Not verified. */
export const decisionAnnotation = "advisor.kubevirt.io/decision";

/** On the HyperConverged: `true`, or a comma list of assets or groups. Absent: idle, unless the operator is always active. */
export const autopilotAnnotation = "platform.kubevirt.io/autopilot";

/** Where people find sources, runbooks and issues. */
export const repositoryUrl = "https://github.com/kubevirt/virt-operators";
