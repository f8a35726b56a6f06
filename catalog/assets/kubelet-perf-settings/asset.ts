// Sizes kubelet reservations by node, and allows more pods per node if the pod network is large enough.

import { defineAsset, hardware } from "@virt/platform";
import { kubeletForms, kubeletPart, kubeletReads, renderKubelet, withMachineConfigs } from "../machine-config.ts";

const nodeStatusMaxImages = 500; // enough for image locality, but Node objects stay small
const maxPods = 500;

export default defineAsset({
  ...kubeletPart,
  name: "kubelet-perf-settings",
  feature: { name: "kubelet-settings", description: "Kubelet settings for many VMs", maturity: "GA" },
  tier: "always-on",
  phase: 1,
  switch: { annotation: "enable-kubelet-performance-settings", default: "on" },
  conditions: withMachineConfigs,
  forms: kubeletForms({ nodeStatusMaxImages, maxPods }, true),
  reads: { ...kubeletReads, hardware: hardware() },
  values: {
    autoSizingReserved: {
      reason: "Each node reserves CPU and memory according to its size.",
      source: "OpenShift Machine Config Operator",
    },
    nodeStatusMaxImages: {
      reason: "High enough for image locality, but limited so that Node objects stay small.",
      source: "operator default",
    },
    maxPods: {
      reason: "Allows many VMs per node. Set only if each node's pod network has enough addresses (/23 or larger).",
      source: "Network cluster: status.clusterNetwork[].hostPrefix",
    },
    machineConfigPoolSelector: {
      reason: "Applies only to workers, because VMs run there.",
      source: "operator default",
    },
  },
  render: ({ hardware: { podSubnetPrefix } }) =>
    renderKubelet({
      autoSizingReserved: true,
      kubeletConfig: {
        nodeStatusMaxImages,
        ...(hasRoom(podSubnetPrefix) && { maxPods }),
      },
    }),
});

// Reports whether a node's pod network has enough addresses. A /23 has 510. If the size is unknown, assumes that it has
// not.
function hasRoom(podSubnetPrefix: number | undefined): boolean {
  return podSubnetPrefix !== undefined && podSubnetPrefix <= 23;
}
