// What the swap MachineConfig writes on the nodes. A changed byte reboots every worker.

export const kubeletDropIn = `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
failSwapOn: false
memorySwap:
  swapBehavior: LimitedSwap
`;

// At every boot, and clean where there is no partition: nothing is formatted, no failing command fails the unit, and the
// kubelet orders after it without requiring it. Swap stays off where the kubelet would refuse to start with it.
export const swapUnit = String.raw`[Unit]
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

export const noSwapForSystem = `[Slice]
MemorySwapMax=0
`;
