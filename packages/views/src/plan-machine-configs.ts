// Generated from the catalog (make generate): the MachineConfigs that profiles write.

export const planMachineConfigs: ReadonlySet<string> = new Set([
  "90-master-kubelet-swap",
  "90-worker-kubelet-swap",
  "99-master-psi-karg",
  "99-worker-psi-karg",
]);
