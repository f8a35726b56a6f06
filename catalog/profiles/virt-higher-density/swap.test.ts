import { createHash } from "node:crypto";
import { at, diffText } from "@virt/objects";
import { expect, test } from "vitest";
import profile from "./profile.ts";
import { disableSwap, enableSwap, lastSwapItem } from "./swap.ts";
import { findSwapPartition, kubeletDropIn, swapProvisionUnit, systemSliceUnit } from "./swap-config.ts";
import { factsWith } from "./testing/facts.ts";

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

test("the script has the reviewed hash", () => {
  const hash = createHash("sha256").update(findSwapPartition).digest("hex");
  expect(hash).toBe("c169999c272cccb44ad92428f7003503b0d04d0d8b59f65e387456b01f167dbc");
});

const [item] = enableSwap(factsWith({}));
const desired = item?.operation === "Apply" ? item.desired : undefined;

test("the diff shows both files and both units in order", () => {
  const block = (text: string) => text.replaceAll(/^(?=.)/gm, " ".repeat(8));
  expect(desired && diffText(desired)).toBe(`apiVersion: machineconfiguration.openshift.io/v1
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
      ~ file /etc/find-swap-partition (mode 0755), overwrite: true
${block(findSwapPartition)}      ~ file /etc/openshift/kubelet.conf.d/90-swap.conf (mode 0644), overwrite: true
${block(kubeletDropIn)}    systemd:
      units:
      ~ unit swap-provision.service (enabled)
${block(swapProvisionUnit)}      ~ unit cgroup-system-slice-config.service (enabled)
${block(systemSliceUnit)}`);
});

test("encodes files in base64", () => {
  const files = at(desired, "spec", "config", "storage", "files") as readonly { contents: { source: string } }[];
  const source = (text: string) => `data:text/plain;charset=utf-8;base64,${Buffer.from(text).toString("base64")}`;
  expect(files.map(({ contents }) => contents.source)).toEqual([source(findSwapPartition), source(kubeletDropIn)]);
});

test("the kubelet requires no unit, and no unit waits for a first boot", () => {
  for (const text of [swapProvisionUnit, systemSliceUnit]) {
    expect(text).not.toMatch(/RequiredBy|Requires|BindsTo|ConditionFirstBoot/);
    expect(text).toMatch(/^WantedBy=kubelet-dependencies\.target$/m);
  }
});

test("each role with VMs gets swap, the control plane after the workers", () => {
  const facts = factsWith({ vmNodes: { roles: ["worker", "master"], nodes: undefined } });
  const items = enableSwap(facts);
  expect(items.map(({ name, target, waitsFor }) => [name, target.name, waitsFor])).toEqual([
    ["enable-kubelet-swap", "90-worker-kubelet-swap", undefined],
    ["enable-kubelet-swap-master", "90-master-kubelet-swap", "enable-kubelet-swap"],
  ]);
  const [workers, masters] = items.map((one) => (one.operation === "Apply" ? one.desired : undefined));
  expect(masters?.["spec"]).toEqual(workers?.["spec"]);
  expect(masters?.metadata.labels).toEqual({ "machineconfiguration.openshift.io/role": "master" });
  expect(lastSwapItem(facts)).toBe("enable-kubelet-swap-master");
});

const poolWith = (role: string, ...sources: readonly string[]) => {
  const configuration = { name: `rendered-${role}`, source: sources.map((name) => ({ name })) };
  const status = { machineCount: 3, configuration };
  const kind = { apiVersion: "machineconfiguration.openshift.io/v1", kind: "MachineConfigPool" };
  return { ...kind, metadata: { name: role }, spec: { configuration }, status };
};

test("skips swap in a pool that runs the swap of virt-platform-autopilot", () => {
  const pools = [poolWith("worker", "90-worker-swap-online"), poolWith("master", "00-master")];
  const facts = factsWith({ pools, vmNodes: { roles: ["worker", "master"], nodes: undefined } });
  const plan = profile.plan(undefined, facts);
  expect(plan.map((item) => [item.name, "isSkipped" in item && item.isSkipped])).toEqual([
    ["enable-kubelet-swap", true],
    ["enable-kubelet-swap-master", false],
    ["configure-higher-density", false],
  ]);
  expect(plan[0]?.message).toBe("Swap is already enabled by MachineConfig '90-worker-swap-online'");
  expect(plan[2]?.waitsFor).toBe("enable-kubelet-swap-master");
});

test("the ratio does not wait if swap is skipped everywhere", () => {
  const plan = profile.plan(undefined, factsWith({ pools: [poolWith("worker", "90-worker-swap-online")] }));
  expect(plan[1]).not.toHaveProperty("waitsFor");
});

test("keeps our swap, and waits until the other swap is rolled out", () => {
  const online = poolWith("worker", "90-worker-swap-online");
  const isSkipped = (facts: Parameters<typeof factsWith>[0]) =>
    enableSwap(factsWith(facts))[0]?.message.startsWith("Swap is");
  expect(isSkipped({ pools: [online] })).toBe(true);
  expect(isSkipped({ pools: [online], swapConfig: desired })).toBe(false);
  expect(isSkipped({ pools: [{ ...online, status: poolWith("worker", "00-worker").status }] })).toBe(false);
});

test("removes swap from every role after the ratio", () => {
  expect(disableSwap().map(({ name, target, waitsFor }) => [name, target.name, waitsFor])).toEqual([
    ["disable-kubelet-swap", "90-worker-kubelet-swap", "configure-higher-density"],
    ["disable-kubelet-swap-master", "90-master-kubelet-swap", "configure-higher-density"],
  ]);
});
