import { healthOf } from "@virt/cluster";
import { asList, asText, at, type JsonMap, type KubeObject, member } from "@virt/objects";
import { expect, test } from "vitest";
import type { ClusterState } from "../cluster-state.ts";
import type { Scenario } from "../scenario.ts";
import { singleNode, threeWorkers } from "../standard-scenarios.ts";
import {
  conditionOf,
  type InMemorySimulation,
  objectsOf,
  simulateInMemory,
  startedSimulation,
} from "../testing/in-memory-simulation.ts";
import { edit, fault, kubeletConfig, machine, psi } from "../testing/planted-faults.ts";

const simulated = (scenario: Scenario, ...more: readonly KubeObject[]): InMemorySimulation => {
  const simulation = startedSimulation(scenario);
  for (const object of more) simulation.addObject(object);
  simulation.runUntilIdle();
  return simulation;
};
const withMaxPods = (name: string) => kubeletConfig(name, { maxPods: 500 });
const hcoAt = ({ objects }: InMemorySimulation, ...path: readonly string[]) =>
  at(objects.get("HyperConverged/openshift-cnv/kubevirt-hyperconverged"), ...path);

test("each KubeletConfig of a pool gets its own numbered MachineConfig", () => {
  const { objects } = simulated(threeWorkers, withMaxPods("a"), withMaxPods("b"), withMaxPods("c"));
  const names = [...objects.keys()].filter((key) => key.includes("-generated-kubelet"));
  expect(names.map((key) => key.replace(/.*worker-generated-kubelet/, "")).toSorted()).toEqual(["", "-1", "-2"]);
});

test("a KubeletConfig that selects no pool reports an error", () => {
  const lost = { ...withMaxPods("lost"), spec: { machineConfigPoolSelector: { matchLabels: { no: "pool" } } } };
  const { objects } = simulated(threeWorkers, lost);
  const message = "Error: could not find any MachineConfigPool set for KubeletConfig lost";
  expect(at(objects.get("KubeletConfig/lost"), "status", "conditions")).toMatchObject([
    { type: "Accepted", status: "False", message },
    { type: "Failure", status: "True", message },
  ]);
});

test("a KubeletConfig reports its last three results, the newest twice", () => {
  const key = "KubeletConfig/a";
  const simulation = simulated(threeWorkers, withMaxPods("a"));
  const types = () =>
    asList(at(simulation.objects.get(key), "status", "conditions")).map((each) =>
      [asText(member(each, "type")), asText(member(each, "status"))].join(" "),
    );
  expect(types()).toEqual(["Accepted True", "Success True"]);
  for (const kubelet of [{ staticPodPath: "/a" }, { maxPods: 400 }, { clusterDomain: "a" }]) {
    const live = simulation.objects.get(key) as KubeObject & { readonly spec: JsonMap };
    simulation.objects.set(key, { ...live, spec: { ...live.spec, kubeletConfig: kubelet } });
    simulation.runUntilIdle();
  }
  expect(types()).toEqual(["Accepted False", "Accepted True", "Accepted False", "Failure True"]);
});

test("a node loses KubeVirt's label after 5 silent minutes until it returns", () => {
  const simulation = simulated(threeWorkers);
  const key = "Node/worker-0";
  const label = () => simulation.objects.get(key)?.metadata.labels?.["kubevirt.io/schedulable"];
  fault(key, "not-ready")(simulation);
  const labels = [299, 2].map((seconds) => {
    simulation.runFor(seconds);
    return label();
  });
  fault(key, "not-ready", null)(simulation);
  simulation.runFor(1);
  expect([...labels, label()]).toEqual(["true", "false", "true"]);
});

test("HCO defaults to live migration unless there is one worker", () => {
  expect(hcoAt(simulated(threeWorkers), "spec", "evictionStrategy")).toBe("LiveMigrate");
  expect(hcoAt(simulated(singleNode), "spec", "evictionStrategy")).toBe("None");
});

test("the health rules understand the statuses of the simulated controllers", () => {
  const simulation = simulated(threeWorkers);
  const seen = new Set<string>();
  simulation.addObject(psi);
  simulation.runUntilIdle((cluster: ClusterState) => {
    const [node] = cluster.list("MachineConfigNode").filter(({ metadata }) => metadata.name === "worker-0");
    seen.add((node && healthOf(node)?.message) ?? "");
  });
  const steps = [
    "is updated",
    "is waiting to be updated",
    "is being drained",
    "is being updated",
    "is rebooting",
    "is waiting to be uncordoned",
    "is uncordoned",
  ];
  expect([...seen]).toEqual(steps.map((step) => `Node 'worker-0' ${step}`));
  const kinds = ["MachineConfigPool", "MachineConfigNode", "HyperConverged"];
  const checked = [...simulation.objects.values()].filter(({ kind }) => kinds.includes(kind));
  expect(checked.map((object) => healthOf(object)?.state)).toEqual(checked.map(() => "done"));
});

test("the descheduler operator is degraded until its node has PSI", () => {
  const spec = { managementState: "Managed", profiles: ["KubeVirtRelieveAndMigrate"] };
  const simulation = simulated({ ...threeWorkers, descheduler: { namespace: "descheduler", spec, needsPsi: true } });
  const reported = () => {
    const degraded = conditionOf(objectsOf(simulation, "KubeDescheduler")[0], "TargetConfigControllerDegraded");
    return ["status", "reason", "message"].map((key) => asText(member(degraded, key)));
  };
  const refusal =
    "profile KubeVirtRelieveAndMigrate can only be used when PSI metrics are enabled for the worker nodes";
  simulation.runUntilIdle();
  expect(reported()).toEqual(["True", refusal, ""]);
  simulation.addObject(psi);
  simulation.runUntilIdle();
  expect(reported()).toEqual(["False", "AsExpected", ""]);
});

test("VMs that cannot migrate restart elsewhere unless their strategy forbids it", () => {
  const vms = [
    machine({ name: "none", evictionStrategy: "None" }),
    machine({ name: "possible", evictionStrategy: "LiveMigrateIfPossible", unmigratable: "HostDevice" }),
    machine({ name: "external", evictionStrategy: "External" }),
  ];
  const simulation = simulated({ ...threeWorkers, vms });
  const { history, objects } = simulation;
  simulation.addObject(psi);
  simulation.runUntil(() => history.filter((line) => line.includes(" starts on ")).length === 2);
  expect(
    history.filter((line) => line.startsWith("vm ")).map((line) => line.replace(/on worker-[12]$/, "elsewhere")),
  ).toEqual(
    expect.arrayContaining([
      "vm vms/none-0 is shut down on worker-0",
      "vm vms/none-0 starts elsewhere",
      "vm vms/possible-0 is shut down on worker-0",
      "vm vms/possible-0 starts elsewhere",
    ]),
  );
  expect(at(objects.get("VirtualMachineInstance/vms/external-0"), "status", "nodeName")).toBe("worker-0");
});

test("faults of a scenario begin and end at their times", () => {
  const degrade = { kind: "Node", name: "worker-1", annotation: "degrade" } as const;
  const faults = [
    { ...degrade, afterSeconds: 60, value: "disk is full" },
    { ...degrade, afterSeconds: 120, value: null },
  ];
  const { history, objects } = simulated({ ...threeWorkers, faults });
  expect(history.filter((line) => line.includes("worker-1"))).toEqual([
    "Node worker-1: degrade begins",
    "node worker-1 is degraded: disk is full",
    "Node worker-1: degrade is over",
    expect.stringMatching(/^node worker-1 runs rendered-worker-/) as string,
  ]);
  expect(objects.get("Node/worker-1")?.metadata.annotations).not.toHaveProperty("simulator.kubevirt.io/degrade");
});

test("retries failing migrations and keeps 5 finished ones", () => {
  const simulation = simulated({ ...threeWorkers, vms: [machine()] });
  const { objects, history } = simulation;
  const key = "VirtualMachineInstance/vms/vm-0";
  const annotate = (annotations: Readonly<Record<string, string>>) => {
    for (const machine of objectsOf(simulation, "VirtualMachineInstance"))
      objects.set(key, { ...machine, metadata: { ...machine.metadata, annotations } });
  };
  const failures = () => history.filter((line) => line.endsWith(": no route")).length;
  annotate({ "simulator.kubevirt.io/fail-migrations": "no route" });
  simulation.addObject(psi);
  simulation.runUntilIdle(() => failures() < 7 || annotate({}));
  expect(failures()).toBe(7);
  expect(history).toContainEqual(expect.stringMatching(/^vm vms\/vm-0 is on worker-[12]$/));
  expect([...objects.keys()].filter((each) => each.startsWith("VirtualMachineInstanceMigration"))).toHaveLength(5);
});

test("the descheduler moves VMs periodically, only in mode Automatic", () => {
  const plan = (spec: JsonMap) => ({
    namespace: "descheduler",
    spec: { managementState: "Managed", ...spec },
    evictEverySeconds: 60,
  });
  const moves = (spec: JsonMap) => {
    const simulation = simulateInMemory({ ...threeWorkers, descheduler: plan(spec) }, 1);
    const isEnough = () => simulation.history.filter((line) => line.startsWith("descheduler moves")).length > 3;
    const enough = new Error("enough");
    try {
      simulation.runUntilIdle(() => {
        if (isEnough()) throw enough;
      });
    } catch (error) {
      if (error !== enough) throw error;
    }
    return simulation.history.filter((line) => line.startsWith("descheduler moves")).length;
  };
  expect(moves({ mode: "Predictive" })).toBe(0);
  expect(moves({ mode: "Automatic" })).toBe(4);
});

test("a VM waits until a node has room", () => {
  const vms = [{ name: "big", namespace: "vms", count: 4, memoryGiB: [100] }];
  const simulation = simulated({ ...threeWorkers, vms });
  const phases = () =>
    objectsOf(simulation, "VirtualMachineInstance").map((machine) => asText(at(machine, "status", "phase")));
  expect(phases()).toEqual(["Running", "Running", "Running", "Scheduling"]);
  edit("VirtualMachine/vms/big-0", { spec: { runStrategy: "Halted" } })(simulation);
  simulation.runUntilIdle();
  expect(phases()).toEqual(["Running", "Running", "Running"]);
});
