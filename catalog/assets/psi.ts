// Has the kernels of a pool measure pressure (PSI), which load-aware rebalancing goes by.

import { object, pool, topology } from "@virt/platform";
import { deschedulerTarget } from "./descheduler.ts";
import { renderKernelArguments } from "./kernel-arguments.ts";
import { machineConfigTarget, nodeChange, withMachineConfigs } from "./machine-config.ts";

/** All of an asset but its name and its further conditions. */
export function psiFor(role: "worker" | "master") {
  const name = `99-openshift-machineconfig-${role}-psi-karg`;
  const target = machineConfigTarget(name);
  return {
    ...nodeChange,
    group: "descheduler-loadaware",
    feature: "load-aware-rebalancing",
    tier: "context-aware",
    phase: 1,
    order: 13,
    target,
    gates: [deschedulerTarget],
    switch: { annotation: "enable-loadaware", default: "off" },
    conditions: withMachineConfigs,
    reads: { topology: topology(), own: object(target), pool: pool(role) },
    purpose: "psi",
    render: (facts: Parameters<typeof renderKernelArguments>[1]) =>
      renderKernelArguments({ name, role, kernelArguments: ["psi=1"] }, facts),
  } as const;
}
