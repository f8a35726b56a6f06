import { at, type JsonMap, type KubeObject } from "@virt/objects";
import { expect, test } from "vitest";
import { noVms } from "../standard-scenarios.ts";
import { type InMemorySimulation, mergePatch, simulateInMemory } from "../testing/in-memory-simulation.ts";

const namespace = "openshift-workload-availability";
const template = (prefix: "SelfNode" | "FenceAgents"): KubeObject => ({
  apiVersion: `${prefix === "SelfNode" ? "self-node" : "fence-agents"}-remediation.medik8s.io/v1alpha1`,
  kind: `${prefix}RemediationTemplate`,
  metadata: { name: "template", namespace },
  spec: { template: { spec: { remediationStrategy: "Automatic" } } },
});
const reference = (prefix: "SelfNode" | "FenceAgents") => ({
  kind: `${prefix}RemediationTemplate`,
  name: "template",
  namespace,
});
const nodeHealthCheck = (spec: JsonMap = { remediationTemplate: reference("SelfNode") }): KubeObject => ({
  apiVersion: "remediation.medik8s.io/v1alpha1",
  kind: "NodeHealthCheck",
  metadata: { name: "workers" },
  spec: {
    minHealthy: "51%",
    selector: { matchLabels: { "node-role.kubernetes.io/worker": "" } },
    unhealthyConditions: ["False", "Unknown"].map((status) => ({ type: "Ready", status, duration: "300s" })),
    ...spec,
  },
});

function simulated(...objects: readonly KubeObject[]): InMemorySimulation {
  const simulation = simulateInMemory(noVms, 1);
  for (const object of objects) simulation.addObject(object);
  simulation.runUntilIdle();
  return simulation;
}

function silence({ objects }: InMemorySimulation, node: string, isSilent = true): void {
  const annotations = { "simulator.kubevirt.io/not-ready": isSilent ? "" : null };
  objects.set(`Node/${node}`, mergePatch(objects.get(`Node/${node}`), { metadata: { annotations } }) as KubeObject);
}

const remediations = ({ objects }: InMemorySimulation) =>
  [...objects.keys()].filter((key) => /^(SelfNode|FenceAgents)Remediation\//.test(key)).toSorted();
const statusOf = ({ objects }: InMemorySimulation) => at(objects.get("NodeHealthCheck/workers"), "status");
const selfNode = (node: string) => `SelfNodeRemediation/${namespace}/${node}`;

test("a node that is not ready for the duration gets a remediation until it is ready", () => {
  const simulation = simulated(template("SelfNode"), nodeHealthCheck());
  expect(statusOf(simulation)).toMatchObject({ observedNodes: 3, healthyNodes: 3, phase: "Enabled" });
  silence(simulation, "worker-1");
  simulation.runFor(299);
  expect(remediations(simulation)).toEqual([]);
  simulation.runFor(2);
  expect(remediations(simulation)).toEqual([selfNode("worker-1")]);
  expect(simulation.objects.get(selfNode("worker-1"))).toMatchObject({
    apiVersion: "self-node-remediation.medik8s.io/v1alpha1",
    metadata: { ownerReferences: [{ kind: "NodeHealthCheck", name: "workers" }] },
    spec: { remediationStrategy: "Automatic" },
  });
  expect(statusOf(simulation)).toMatchObject({
    observedNodes: 3,
    healthyNodes: 2,
    phase: "Remediating",
    unhealthyNodes: [
      { name: "worker-1", remediations: [{ resource: { kind: "SelfNodeRemediation", name: "worker-1" } }] },
    ],
  });
  silence(simulation, "worker-1", false);
  simulation.runFor(1);
  expect(remediations(simulation)).toEqual([]);
  expect(statusOf(simulation)).toMatchObject({ healthyNodes: 3, phase: "Enabled", unhealthyNodes: [] });
});

test.each([
  { minHealthy: "51%", silent: ["worker-0", "worker-1"], count: 0 },
  { minHealthy: "34%", silent: ["worker-0", "worker-1"], count: 0 },
  { minHealthy: "33%", silent: ["worker-0", "worker-1"], count: 2 },
  { minHealthy: 1, silent: ["worker-0", "worker-1"], count: 2 },
])("with minHealthy $minHealthy, $count of 2 silent nodes of 3 are remediated", ({ minHealthy, silent, count }) => {
  const check = nodeHealthCheck({ minHealthy, remediationTemplate: reference("SelfNode") });
  const simulation = simulated(template("SelfNode"), check);
  for (const node of silent) silence(simulation, node);
  simulation.runFor(600);
  expect(remediations(simulation)).toHaveLength(count);
});

test("a node that is ready again in time is not remediated", () => {
  const simulation = simulated(template("SelfNode"), nodeHealthCheck());
  for (const isSilent of [true, false, true]) {
    silence(simulation, "worker-1", isSilent);
    simulation.runFor(200);
  }
  expect(remediations(simulation)).toEqual([]);
});

test("a node that reboots in a rollout is not remediated", () => {
  const unhealthyConditions = [{ type: "Ready", status: "Unknown", duration: "30s" }];
  const check = nodeHealthCheck({ unhealthyConditions, remediationTemplate: reference("SelfNode") });
  const simulation = simulated(template("SelfNode"), check);
  simulation.addObject({
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "MachineConfig",
    metadata: { name: "99-worker-psi-karg", labels: { "machineconfiguration.openshift.io/role": "worker" } },
    spec: { kernelArguments: ["psi=1"] },
  });
  simulation.runUntilIdle();
  expect(simulation.history.filter((event) => event.endsWith("reboots"))).toHaveLength(3);
  expect(simulation.history.filter((event) => event.includes("Remediation"))).toEqual([]);
});

test("an escalation tries the next remediation after the timeout", () => {
  const escalatingRemediations = [
    { remediationTemplate: reference("SelfNode"), order: 2, timeout: "10m" },
    { remediationTemplate: reference("FenceAgents"), order: 1, timeout: "5m" },
  ];
  const check = nodeHealthCheck({ escalatingRemediations });
  const simulation = simulated(template("SelfNode"), template("FenceAgents"), check);
  silence(simulation, "worker-1");
  const fenceAgents = `FenceAgentsRemediation/${namespace}/worker-1`;
  simulation.runFor(500);
  expect(remediations(simulation)).toEqual([fenceAgents]);
  simulation.runFor(200);
  expect(remediations(simulation)).toEqual([fenceAgents, selfNode("worker-1")]);
});

const machineHealthCheck: KubeObject = {
  apiVersion: "machine.openshift.io/v1beta1",
  kind: "MachineHealthCheck",
  metadata: { name: "machines", namespace: "openshift-machine-api" },
};

test.each([
  {
    cause: "a MachineHealthCheck",
    objects: [template("SelfNode"), machineHealthCheck],
    reason: "ConflictingMachineHealthCheckDetected",
  },
  { cause: "a missing template", objects: [], reason: "RemediationTemplateNotFound" },
])("$cause disables the check", ({ objects, reason }) => {
  const simulation = simulated(nodeHealthCheck(), ...objects);
  silence(simulation, "worker-1");
  simulation.runFor(600);
  expect(remediations(simulation)).toEqual([]);
  expect(statusOf(simulation)).toMatchObject({
    phase: "Disabled",
    conditions: [{ type: "Disabled", status: "True", reason }],
  });
});

test("a single MachineHealthCheck for terminated machines does not disable the check", () => {
  const termination = {
    ...machineHealthCheck,
    spec: { unhealthyConditions: [{ type: "Terminating", status: "True" }] },
  };
  expect(statusOf(simulated(template("SelfNode"), termination, nodeHealthCheck()))).toMatchObject({ phase: "Enabled" });
  expect(statusOf(simulated(template("SelfNode"), termination, machineHealthCheck, nodeHealthCheck()))).toMatchObject({
    phase: "Disabled",
  });
});
