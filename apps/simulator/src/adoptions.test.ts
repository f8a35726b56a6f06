import { autopilotName, type JsonMap, type KubeObject, managedByLabel } from "@virt/api";
import { roleLabel } from "@virt/cluster";
import { runsForCost } from "@virt/testkit/law-runs";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Scenario } from "./scenario.ts";
import { noVms } from "./standard-scenarios.ts";
import { AdoptedSimulation } from "./testing/adopted-simulation.ts";

const apiVersion = "machineconfiguration.openshift.io/v1";
const label = { [managedByLabel.key]: autopilotName };

function machineConfig(name: string, spec: JsonMap): KubeObject {
  const role = name.includes("master") ? "master" : "worker";
  return { apiVersion, kind: "MachineConfig", metadata: { name, labels: { ...label, [roleLabel]: role } }, spec };
}

function kubeletConfig(name: string, maxPods: number): KubeObject {
  const pool = { "pools.operator.machineconfiguration.openshift.io/worker": "" };
  const spec = { machineConfigPoolSelector: { matchLabels: pool }, kubeletConfig: { maxPods } };
  return { apiVersion, kind: "KubeletConfig", metadata: { name, labels: label }, spec };
}

const file = (path: string) => ({
  config: {
    ignition: { version: "3.2.0" },
    storage: { files: [{ path, mode: 420, overwrite: true, contents: { source: "data:,theirs" } }] },
  },
});

/** Their objects on nodes, besides the PSI and swap objects that the simulated autopilot always applies. */
const nodeObjects: readonly KubeObject[] = [
  machineConfig("99-openshift-machineconfig-master-psi-karg", { kernelArguments: ["psi=1"] }),
  machineConfig("50-virt-pci-passthrough", { kernelArguments: ["intel_iommu=on", "iommu=pt"] }),
  machineConfig("90-worker-file-based-swap-provisioning", file("/etc/theirs/swap-file")),
  machineConfig("95-worker-kubelet-perf-settings", file("/etc/openshift/kubelet.conf.d/95-theirs.conf")),
  machineConfig("96-worker-kubelet-cpu-manager", file("/etc/openshift/kubelet.conf.d/96-theirs.conf")),
  machineConfig("99-worker-ksm-zero-only", file("/etc/theirs/ksm")),
  machineConfig("99-master-thp-tuning", file("/etc/theirs/thp")),
  kubeletConfig("virt-perf-settings", 500),
  kubeletConfig("virt-cpu-manager", 500),
];

const scenario: Scenario = { ...noVms, autopilot: true };

/** Changes one kernel argument, so that the object differs from ours. */
function edited(object: KubeObject): KubeObject {
  const kernelArguments = [...(((object["spec"] as JsonMap)["kernelArguments"] as readonly string[]) ?? []), "other=1"];
  return { ...object, spec: { ...(object["spec"] as JsonMap), kernelArguments } };
}

const anyObjects = fc
  .tuple(fc.subarray([...nodeObjects]), fc.boolean())
  .map(([objects, isEdited]) =>
    objects.map((object) => (isEdited && object.kind === "MachineConfig" ? edited(object) : object)),
  );

async function expectNoRollout(objects: readonly KubeObject[]): Promise<void> {
  const simulated = new AdoptedSimulation(scenario, objects);
  const before = simulated.targets();
  const plan = await simulated.adopt();
  simulated.simulation.runUntilIdle();
  expect(simulated.targets()).toEqual(before);
  expect(plan.takeOver.map(({ live }) => live.metadata.name)).toContain("99-openshift-machineconfig-worker-psi-karg");
}

test("without --replace, no pool gets a new configuration, whichever node objects the autopilot has", async () => {
  await fc.assert(fc.asyncProperty(anyObjects, expectNoRollout), runsForCost(20));
});

test("without --replace, no subset of their node objects leads to a rollout", { tags: ["thorough"] }, async () => {
  for (let subset = 0; subset < 2 ** nodeObjects.length; subset++)
    await expectNoRollout(nodeObjects.filter((_, at) => ((subset >> at) & 1) === 1)); // oxlint-disable-line no-await-in-loop -- one world at a time
});

test("--replace swap-enable gives the worker pool one new configuration", async () => {
  const simulated = new AdoptedSimulation(scenario, []);
  const before = simulated.targets();
  const rendered = () =>
    [...simulated.simulation.objects.keys()].filter((key) => key.startsWith("MachineConfig/rendered-worker")).length;
  const count = rendered();
  await simulated.adopt("swap-enable");
  simulated.simulation.runUntilIdle();
  expect(simulated.targets()).toMatchObject({ master: before["master"] });
  expect(simulated.targets()["worker"]).not.toBe(before["worker"]);
  expect(rendered()).toBe(count + 1);
  expect(simulated.live({ apiVersion, kind: "MachineConfig", name: "90-worker-swap-online" })).toBeUndefined();
});
