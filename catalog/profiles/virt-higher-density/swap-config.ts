// The MachineConfig with which nodes use prepared swap partitions, one per role. Any changed byte reboots all nodes of
// the role.

import { writeDataUrl } from "@virt/objects";
import { swapConfigName } from "./facts.ts";

export const findSwapPartition = `#!/usr/bin/env bash
# Turns on this node's swap partitions at every boot. Having none is no error.
set -u

udevadm settle --timeout=30 || true

found=0
for label in CNV_SWAP OCPSWAP; do
  link="/dev/disk/by-partlabel/\${label}"
  [[ -e "\${link}" ]] || continue
  found=1
  device="$(readlink -f "\${link}")"
  if swapon --show=NAME --noheadings | grep -qxF -- "\${device}"; then
    echo "swap is already on: \${link} (\${device})"
  elif swapon "\${device}"; then
    echo "swap turned on: \${link} (\${device})"
  else
    echo "swap could not be turned on: \${link} (\${device}); going on without it" >&2
  fi
done

if [[ "\${found}" -eq 0 ]]; then
  echo "no partition labelled CNV_SWAP or OCPSWAP on this node; nothing to do"
fi
exit 0
`;

export const kubeletDropIn = `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
failSwapOn: false
memorySwap:
  swapBehavior: LimitedSwap
`;

export const swapProvisionUnit = `[Unit]
Description=Provision and enable swap
Before=kubelet-dependencies.target

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/bin/bash /etc/find-swap-partition

[Install]
WantedBy=kubelet-dependencies.target
`;

export const systemSliceUnit = `[Unit]
Description=Restrict swap for system slice
Before=kubelet-dependencies.target

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/bin/systemctl set-property --runtime system.slice MemorySwapMax=0
ExecStart=-/usr/bin/systemctl set-property --runtime system.slice "IODeviceLatencyTargetSec=/ 50ms"

[Install]
WantedBy=kubelet-dependencies.target
`;

const file = (path: string, mode: number, text: string) => ({
  contents: { source: writeDataUrl(text) },
  mode,
  overwrite: true,
  path,
});
const unit = (name: string, contents: string) => ({ contents, enabled: true, name });

export const swapConfig = {
  nameFor: swapConfigName,
  spec: {
    config: {
      ignition: { version: "3.2.0" },
      storage: {
        files: [
          file("/etc/find-swap-partition", 0o755, findSwapPartition),
          file("/etc/openshift/kubelet.conf.d/90-swap.conf", 0o644, kubeletDropIn),
        ],
      },
      systemd: {
        units: [
          unit("swap-provision.service", swapProvisionUnit),
          unit("cgroup-system-slice-config.service", systemSliceUnit),
        ],
      },
    },
  },
};
