import { asText, at, decodeUtf8, readDataUrl } from "@virt/objects";
import { expect, test } from "vitest";
import { assetFacts, renderedAsset } from "../../testing/asset-facts.ts";
import asset from "./asset.ts";

test("renders the object of the specification", () => {
  expect(renderedAsset(asset)).toBe(`apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata:
  labels:
    machineconfiguration.openshift.io/role: worker
  name: 50-virt-swap-enable
spec:
  config:
    ignition:
      version: 3.2.0
    storage:
      files:
      - contents:
          source: data:text/plain;charset=utf-8;base64,YXBpVmVyc2lvbjoga3ViZWxldC5jb25maWcuazhzLmlvL3YxYmV0YTEKa2luZDogS3ViZWxldENvbmZpZ3VyYXRpb24KZmFpbFN3YXBPbjogZmFsc2UKbWVtb3J5U3dhcDoKICBzd2FwQmVoYXZpb3I6IExpbWl0ZWRTd2FwCg==
        mode: 420
        overwrite: true
        path: /etc/openshift/kubelet.conf.d/90-swap.conf
    systemd:
      units:
      - contents: |
          [Unit]
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
        enabled: true
        name: virt-swap-enable.service
      - dropins:
        - contents: |
            [Slice]
            MemorySwapMax=0
          name: 50-virt-no-swap.conf
        name: system.slice
`);
});

test("the kubelet drop-in has the five lines that allow swap", () => {
  const [file] = at(asset.render(assetFacts(asset)), "spec", "config", "storage", "files") as readonly [never];
  const text = decodeUtf8(readDataUrl(asText(at(file, "contents", "source")) ?? "") ?? new Uint8Array());
  expect(text).toBe(
    "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nfailSwapOn: false\nmemorySwap:\n  swapBehavior: LimitedSwap\n",
  );
});
