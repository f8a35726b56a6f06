// Lets VMs on workers use prepared swap partitions.

import { defineAsset, topology } from "@virt/platform";
import {
  assetMachineConfigTarget,
  ignition,
  ignitionFile,
  machineConfigAsset,
  nodeChange,
  withMachineConfigs,
} from "../machine-config.ts";

// Written to nodes: any changed byte reboots all workers.
const assetKubeletDropIn = `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
failSwapOn: false
memorySwap:
  swapBehavior: LimitedSwap
`;

// Runs at every boot. Succeeds even if there is no swap partition or a command fails, and never formats a disk. The
// kubelet starts after this unit, but does not depend on it. Swap stays off if the kubelet is not configured for it.
const swapUnit = String.raw`[Unit]
Description=Use prepared swap partitions for virtual machines
After=local-fs.target
Before=kubelet-dependencies.target kubelet.service

[Service]
Type=oneshot
RemainAfterExit=yes
TimeoutStartSec=60
ExecCondition=/usr/bin/bash -c 'grep -qs -- "--config-dir=/etc/openshift/kubelet.conf.d" /etc/systemd/system/kubelet.service || grep -Eqs "failSwapOn[^a-z]+false" /etc/kubernetes/kubelet.conf'
ExecStartPre=-/usr/bin/udevadm settle --timeout=10
ExecStart=-/usr/bin/bash -c 'for label in CNV_SWAP OCPSWAP; do dev=/dev/disk/by-partlabel/$$label; test -b "$$dev" || continue; grep -q "^$$(readlink -f "$$dev") " /proc/swaps && continue; swapon --priority 100 "$$dev" || echo "virt-swap-enable: $$dev is not usable as swap"; done'

[Install]
WantedBy=multi-user.target
`;

const noSwapForSystem = `[Slice]
MemorySwapMax=0
`;

const name = "50-virt-swap-enable";

const object = machineConfigAsset(name, "worker", {
  config: {
    ignition,
    storage: { files: [ignitionFile("/etc/openshift/kubelet.conf.d/90-swap.conf", assetKubeletDropIn)] },
    systemd: {
      units: [
        { name: "virt-swap-enable.service", enabled: true, contents: swapUnit },
        { name: "system.slice", dropins: [{ name: "50-virt-no-swap.conf", contents: noSwapForSystem }] },
      ],
    },
  },
});

export default defineAsset({
  ...nodeChange,
  name: "swap-enable",
  feature: { name: "swap", description: "Swap for VMs on prepared partitions", maturity: "TP" },
  tier: "always-on",
  phase: 1,
  order: 11,
  target: assetMachineConfigTarget(name),
  content: { object },
  switch: { annotation: "enable-swap", default: "on" },
  conditions: withMachineConfigs,
  reads: { topology: topology() },
  purpose: "kubelet-swap",
  alternates: [
    { apiVersion: "apps/v1", kind: "DaemonSet", name: "wasp-agent", namespace: "$hco" },
    assetMachineConfigTarget("90-worker-swap-online"),
    assetMachineConfigTarget("90-worker-kubelet-swap"),
  ],
  values: {
    "metadata.labels": {
      reason: "Selects the pool that applies the MachineConfig.",
      source: "Machine Config Operator",
    },
    ignition: {
      reason: "An Ignition version that all supported OpenShift releases accept.",
      source: "Machine Config Operator",
    },
    "storage.files": {
      reason: "The kubelet starts on nodes with swap, and pods use swap only within their limits.",
      source: "Kubernetes: swap memory management",
    },
    "systemd.units": {
      reason:
        "Enables the prepared partitions CNV_SWAP and OCPSWAP as swap at every boot. System services never use swap. Nothing is formatted.",
      source: "operator default",
    },
  },
  render: () => object,
});
