// Shared by the assets of load-aware rebalancing: the feature, the descheduler target and PSI kernel arguments.

import { object } from "@virt/cluster";
import { type Feature, pool, topology } from "@virt/platform";
import {
  assetMachineConfigTarget,
  configureKernel,
  nodeChange,
  renderKernelArguments,
  withMachineConfigs,
} from "./machine-config.ts";

const namespace = "openshift-kube-descheduler-operator";

export const loadAwareRebalancing: Feature = {
  name: "load-aware-rebalancing",
  description: "Moves VMs away from nodes under pressure",
  maturity: "TP",
};

export const deschedulerTarget = {
  apiVersion: "operator.openshift.io/v1",
  kind: "KubeDescheduler",
  name: "cluster",
  namespace,
  crd: "kubedeschedulers.operator.openshift.io",
  operator: "Kube Descheduler Operator",
} as const;

export const deschedulerRules = {
  apiVersion: "monitoring.coreos.com/v1",
  kind: "PrometheusRule",
  name: "descheduler-rules",
  namespace,
} as const;

/** Returns a PSI asset for a pool, without its name and additional conditions. The descheduler needs PSI metrics. */
export function psiFor(role: "worker" | "master") {
  const name = `99-openshift-machineconfig-${role}-psi-karg`;
  const target = assetMachineConfigTarget(name);
  const wanted = { name, role, kernelArguments: ["psi=1"] };
  return {
    ...nodeChange,
    group: "descheduler-loadaware",
    feature: loadAwareRebalancing,
    tier: "context-aware",
    phase: 1,
    order: 13,
    target,
    content: { object: configureKernel(wanted) },
    gates: [deschedulerTarget],
    switch: { annotation: "enable-loadaware", default: "off" },
    conditions: withMachineConfigs,
    reads: { topology: topology(), own: object(target), pool: pool(role) },
    purpose: "psi",
    values: {
      "metadata.labels": {
        reason: "Selects the pool that applies the MachineConfig.",
        source: "Machine Config Operator",
      },
      kernelArguments: {
        reason: "The kernel measures pressure (PSI), which the descheduler uses for balancing.",
        source: "profile load-aware-rebalancing",
      },
    },
    render: (facts: Parameters<typeof renderKernelArguments>[1]) => renderKernelArguments(wanted, facts),
  } as const;
}
