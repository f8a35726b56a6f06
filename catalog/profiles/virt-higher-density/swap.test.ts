// The MachineConfig for swap, byte for byte: whatever differs reboots every worker.

import { createHash } from "node:crypto";
import { at, legible, writeYaml } from "@virt/engine";
import { expect, test } from "vitest";
import { infraPool, workerPool } from "../pool-world.ts";
import { disableSwap, enableSwap } from "./swap.ts";
import { findSwapPartition, kubeletDropIn, swapProvisionUnit, systemSliceUnit } from "./swap-texts.ts";
import { wantedOf } from "./wanted.ts";
import { factsWith } from "./world.ts";

const texts = [
  { path: "/etc/find-swap-partition", text: findSwapPartition, bytes: 730 },
  { path: "90-swap.conf", text: kubeletDropIn, bytes: 127 },
  { path: "swap-provision.service", text: swapProvisionUnit, bytes: 221 },
  { path: "cgroup-system-slice-config.service", text: systemSliceUnit, bytes: 358 },
];

test.each(texts)("$path has $bytes bytes and ends with one newline", ({ text, bytes }) => {
  expect(Buffer.byteLength(text)).toBe(bytes);
  expect(text).toMatch(/[^\n]\n$/);
});

test("the script is the one that was reviewed", () => {
  const hash = createHash("sha256").update(findSwapPartition).digest("hex");
  expect(hash).toBe("c169999c272cccb44ad92428f7003503b0d04d0d8b59f65e387456b01f167dbc");
});

const item = enableSwap(wantedOf(undefined), factsWith({}));
const desired = item.operation === "Apply" ? item.desired : undefined;

test("both files and both units are there, in order", () => {
  const block = (text: string, pad: string) => text.replaceAll(/^(?=.)/gm, pad);
  const [inFile, inUnit] = [" ".repeat(12), " ".repeat(10)];
  expect(desired && writeYaml(legible(desired))).toBe(`apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata:
  labels:
    machineconfiguration.openshift.io/role: worker
  name: 90-worker-kubelet-swap
spec:
  config:
    ignition:
      version: 3.2.0
    storage:
      files:
      - contents:
          source: |
${block(findSwapPartition, inFile)}        mode: 493
        overwrite: true
        path: /etc/find-swap-partition
      - contents:
          source: |
${block(kubeletDropIn, inFile)}        mode: 420
        overwrite: true
        path: /etc/openshift/kubelet.conf.d/90-swap.conf
    systemd:
      units:
      - contents: |
${block(swapProvisionUnit, inUnit)}        enabled: true
        name: swap-provision.service
      - contents: |
${block(systemSliceUnit, inUnit)}        enabled: true
        name: cgroup-system-slice-config.service
`);
});

test("files are written as base64 of their text", () => {
  const files = at(desired, "spec", "config", "storage", "files") as readonly { contents: { source: string } }[];
  const source = (text: string) => `data:text/plain;charset=utf-8;base64,${Buffer.from(text).toString("base64")}`;
  expect(files.map(({ contents }) => contents.source)).toEqual([source(findSwapPartition), source(kubeletDropIn)]);
});

test("nothing on the node can fail the kubelet: no unit is required by it, none waits for a first boot", () => {
  for (const text of [swapProvisionUnit, systemSliceUnit]) {
    expect(text).not.toMatch(/RequiredBy|Requires|BindsTo|ConditionFirstBoot/);
    expect(text).toMatch(/^WantedBy=kubelet-dependencies\.target$/m);
  }
});

test("pools that do not take it are named, for its removal too", () => {
  const facts = factsWith({ pools: [workerPool({}, 0), infraPool({ paused: true }, 0)] });
  const warnings = [
    "MachineConfigPool 'worker' has no machines; no node takes this configuration",
    "MachineConfigPool 'infra' is paused",
  ];
  expect(disableSwap(facts).warnings).toEqual(warnings);
  expect(enableSwap(wantedOf({ memoryToRequestRatio: 100 }), facts).warnings).toEqual(warnings);
});
