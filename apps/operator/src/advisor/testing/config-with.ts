import type { Spec, Status, VirtPlatformConfig } from "@virt/api";

/** Returns a config of load-aware-rebalancing, or of the profile in `spec`. It has the name of its profile. */
export function configWith(status: Status = {}, spec: Partial<Spec> = {}): VirtPlatformConfig {
  const { profile = "load-aware-rebalancing" } = spec;
  return {
    apiVersion: "advisor.kubevirt.io/v1alpha1",
    kind: "VirtPlatformConfig",
    metadata: { name: profile },
    spec: { profile, action: "Apply", failurePolicy: "Abort", bypassOptimisticLock: false, ...spec },
    status,
  };
}
