// Shared by the assets of observability: the feature and the console plugins.

import type { Feature } from "@virt/platform";

export const observability: Feature = {
  name: "observability",
  description: "Dashboards and incidents in the console",
  maturity: "TP",
};

const crd = "uiplugins.observability.openshift.io";

/** Returns the target of a console plugin. The CRD ties the plugin's type to its name. */
export function uiPluginTarget(name: string) {
  return {
    apiVersion: "observability.openshift.io/v1alpha1",
    kind: "UIPlugin",
    name,
    crd,
    operator: "Cluster Observability Operator",
  } as const;
}
