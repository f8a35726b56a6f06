import { isCounterpartApplied } from "@virt/platform";
import { expect, test } from "vitest";
import { assets, autopilotObjects } from "./index.ts";

const textOf = ({ kind, name }: { readonly kind: string; readonly name: string }) => `${kind} ${name}`;

test("no object of the autopilot is listed twice", () => {
  const named = autopilotObjects.flatMap(({ theirs }) => theirs.map(textOf));
  expect(named.filter((name, at) => named.indexOf(name) !== at)).toEqual([]);
});

test("the autopilot always applies these objects of ours or their counterparts", () => {
  const hco = { annotations: {} };
  const claimed = assets.filter(({ counterparts = [] }) => counterparts.some((one) => isCounterpartApplied(one, hco)));
  expect(claimed.map(({ name }) => name)).toEqual([
    "aaq-operator",
    "hco-golden-config",
    "usb-passthrough",
    "vfio-permitted-devices",
    "swap-enable",
    "psi-enable",
    "psi-enable-master",
    "observability-operator",
    "troubleshooting-panel",
    "descheduler-loadaware",
  ]);
});

test.each([
  ["enable-pci-passthrough", ["pci-passthrough"]],
  ["enable-kubelet-performance-settings", ["kubelet-cpu-manager", "kubelet-perf-settings", "numa-topology"]],
  ["enable-cpu-manager-perf-tunings", ["kubelet-cpu-manager"]],
  ["enable-mtv", ["mtv-operator"]],
  ["enable-metallb", ["metallb-operator"]],
  ["enable-node-remediation", ["node-health-check"]],
])("%s=true makes the autopilot apply the counterparts of %j", (key, names) => {
  const hco = (value: string) => ({ annotations: { [`platform.kubevirt.io/${key}`]: value } });
  const appliedWith = (value: string) =>
    assets.filter(({ counterparts = [] }) =>
      counterparts.some((one) => one.appliedWith === key && isCounterpartApplied(one, hco(value))),
    );
  expect(appliedWith("true").map(({ name }) => name)).toEqual(names);
  expect(appliedWith("false")).toEqual([]);
});

test("the autopilot's objects under other names are alternates of our assets", () => {
  const alternates = assets.flatMap((asset) => (asset.alternates ?? []).map((ref) => `${asset.name}: ${textOf(ref)}`));
  expect(alternates).toEqual([
    "kubelet-cpu-manager: MachineConfig 95-worker-kubelet-perf-settings",
    "kubelet-cpu-manager: MachineConfig 96-worker-kubelet-cpu-manager",
    "kubelet-cpu-manager: KubeletConfig virt-cpu-manager",
    "kubelet-perf-settings: MachineConfig 95-worker-kubelet-perf-settings",
    "numa-topology: MachineConfig 95-worker-kubelet-perf-settings",
    "swap-enable: DaemonSet wasp-agent",
    "swap-enable: MachineConfig 90-worker-swap-online",
    "swap-enable: MachineConfig 90-worker-kubelet-swap",
    "scsi-reservations: MachineConfig 99-worker-multipath-reservation-key",
    "scsi-reservations-master: MachineConfig 99-master-multipath-reservation-key",
  ]);
});
