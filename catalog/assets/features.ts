// The features there are: what people switch, and how far each has come.

import type { Feature } from "@virt/platform";

export const features: readonly Feature[] = [
  { name: "hco-golden-config", description: "Safe defaults of the HyperConverged", maturity: "GA" },
  { name: "monitoring", description: "The operator's own metrics and alerts", maturity: "GA" },
  { name: "kubelet-settings", description: "Kubelets sized for many VMs", maturity: "GA" },
  { name: "numa-topology", description: "Pods aligned to NUMA nodes where possible", maturity: "TP" },
  { name: "cpu-manager", description: "Whole CPUs for VMs with dedicated CPUs", maturity: "DP" },
  { name: "swap", description: "Swap for VMs, on partitions that somebody prepared", maturity: "TP" },
  { name: "pci-passthrough", description: "The IOMMU, for handing PCI devices to VMs", maturity: "DP" },
  { name: "load-aware-rebalancing", description: "VMs moved away from nodes under pressure", maturity: "TP" },
  { name: "vfio-assign", description: "Named PCI devices for VMs", maturity: "DP" },
  { name: "usb-passthrough", description: "Named USB devices for VMs", maturity: "DP" },
  { name: "aaq", description: "Quota that understands VMs", maturity: "DP" },
  { name: "node-health-check", description: "Remediation of workers that stopped answering", maturity: "TP" },
  { name: "mtv", description: "The migration toolkit for virtualization", maturity: "TP" },
  { name: "metallb", description: "MetalLB, for services of type LoadBalancer", maturity: "TP" },
  { name: "observability", description: "Dashboards and incidents in the console", maturity: "TP" },
];
