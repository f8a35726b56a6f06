import { at, type KubeObject } from "@virt/objects";
import { expect, test } from "vitest";
import type { Scenario } from "../scenario.ts";
import { compact, noVms } from "../standard-scenarios.ts";
import { type InMemorySimulation, mergePatch, simulateInMemory } from "../testing/in-memory-simulation.ts";

const manager = "virt-platform-autopilot";
const label = { "platform.kubevirt.io/managed-by": manager };
const hcoKey = "HyperConverged/openshift-cnv/kubevirt-hyperconverged";
const deploymentKey = `Deployment/openshift-cnv/${manager}`;
const deschedulerKey = "KubeDescheduler/openshift-kube-descheduler-operator/cluster";
const psiKey = "MachineConfig/99-openshift-machineconfig-worker-psi-karg";
const always = [
  hcoKey,
  deschedulerKey,
  "MachineConfig/90-worker-swap-online",
  psiKey,
  "UIPlugin/monitoring",
  "UIPlugin/troubleshooting-panel",
];

const descheduler = (...profiles: readonly string[]): KubeObject => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "kubedeschedulers.operator.openshift.io" },
  spec: {
    versions: [
      {
        served: true,
        schema: {
          openAPIV3Schema: {
            properties: {
              spec: {
                properties: {
                  profiles: { items: { enum: profiles } },
                  evictionLimits: { properties: { total: {}, node: {} } },
                },
              },
            },
          },
        },
      },
    ],
  },
});
const namespace = (name: string): KubeObject => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } });

const base: Scenario = { ...noVms, autopilot: true };
const withAnnotations = (annotations: Readonly<Record<string, string>>): Scenario => ({
  ...base,
  hco: { namespace: "openshift-cnv", annotations },
});

function simulated(scenario: Scenario, ...objects: readonly KubeObject[]): InMemorySimulation {
  const simulation = simulateInMemory(scenario, 1);
  for (const object of objects) simulation.addObject(object);
  simulation.runUntilIdle();
  return simulation;
}

function patch({ objects }: InMemorySimulation, key: string, change: object): void {
  objects.set(key, mergePatch(objects.get(key), change as never) as KubeObject);
}

const labelled = ({ objects }: InMemorySimulation) =>
  [...objects].filter(([, { metadata }]) => metadata.labels?.["platform.kubevirt.io/managed-by"]).map(([key]) => key);

test("the autopilot labels each object that it always applies", () => {
  const simulation = simulated(base, descheduler("LongLifecycle", "KubeVirtRelieveAndMigrate"));
  expect(labelled(simulation).toSorted()).toEqual(always);
  expect(simulation.objects.get(hcoKey)?.metadata).toMatchObject({
    labels: label,
    annotations: { ...label, "platform.kubevirt.io/version": "1.0.0" },
  });
  expect(at(simulation.objects.get(psiKey), "spec", "kernelArguments")).toEqual(["psi=1"]);
  expect(at(simulation.objects.get(deschedulerKey), "spec")).toMatchObject({
    mode: "Automatic",
    profiles: ["KubeVirtRelieveAndMigrate"],
    evictionLimits: { total: 5, node: 2 },
  });
});

test("the Deployment reports its replicas and that it is available", () => {
  const { objects } = simulated(base);
  expect(at(objects.get(deploymentKey), "status")).toMatchObject({
    replicas: 1,
    readyReplicas: 1,
    availableReplicas: 1,
    conditions: [{ type: "Available", status: "True" }],
  });
});

test.each([
  { reason: "without a Deployment", scenario: noVms },
  { reason: "with the annotation false", scenario: withAnnotations({ "platform.kubevirt.io/autopilot": " false " }) },
])("the autopilot applies nothing $reason", ({ scenario }) => {
  expect(labelled(simulated(scenario, descheduler()))).toEqual([]);
});

test.each(["", "true", "psi-enable", "off"])("the annotation with the value '%s' leaves the autopilot on", (value) => {
  const simulation = simulated(withAnnotations({ "platform.kubevirt.io/autopilot": value }), descheduler());
  expect(labelled(simulation).toSorted()).toEqual(always);
});

test("a Deployment that is scaled to zero applies nothing", () => {
  const simulation = simulated(base);
  patch(simulation, deploymentKey, { spec: { replicas: 0 } });
  patch(simulation, "UIPlugin/monitoring", { spec: { type: "Logging" } });
  simulation.runUntilIdle();
  expect(at(simulation.objects.get("UIPlugin/monitoring"), "spec", "type")).toBe("Logging");
  expect(at(simulation.objects.get(deploymentKey), "status", "availableReplicas")).toBeUndefined();
});

test("without the CRD of the descheduler, there is neither a KubeDescheduler nor PSI", () => {
  const { objects } = simulated(base);
  expect([objects.has(deschedulerKey), objects.has(psiKey)]).toEqual([false, false]);
});

test("schedulable control plane nodes get PSI too", () => {
  const { objects } = simulated({ ...compact, vms: [], autopilot: true }, descheduler());
  expect(objects.has("MachineConfig/99-openshift-machineconfig-master-psi-karg")).toBe(true);
});

test.each([
  { known: ["LongLifecycle", "DevKubeVirtRelieveAndMigrate"], profile: "DevKubeVirtRelieveAndMigrate" },
  { known: ["LongLifecycle"], profile: "LongLifecycle" },
])("the descheduler gets $profile if its CRD has no better profile", ({ known, profile }) => {
  const { objects } = simulated(base, descheduler(...known));
  expect(at(objects.get(deschedulerKey), "spec", "profiles")).toEqual([profile]);
});

test("a switch adds its object if the namespace exists", () => {
  const switches = ["pci-passthrough", "metallb", "mtv"].map((name) => [`platform.kubevirt.io/enable-${name}`, "true"]);
  const simulation = simulated(withAnnotations(Object.fromEntries(switches)), namespace("metallb-system"));
  const optional = ["MachineConfig/50-virt-pci-passthrough", "MetalLB/metallb-system/metallb"];
  expect(labelled(simulation)).toEqual(expect.arrayContaining(optional));
  expect(labelled(simulation).filter((key) => key.startsWith("ForkliftController"))).toEqual([]);
});

test("a changed field or label is restored, except on an unmanaged object", () => {
  const simulation = simulated(base);
  const key = "UIPlugin/monitoring";
  const change = { metadata: { labels: null }, spec: { monitoring: { perses: { enabled: false } } } };
  patch(simulation, key, change);
  simulation.runUntilIdle();
  expect(simulation.objects.get(key)).toMatchObject({
    metadata: { labels: label },
    spec: { monitoring: { perses: { enabled: true } } },
  });
  patch(simulation, key, { ...change, metadata: { annotations: { "platform.kubevirt.io/mode": "unmanaged" } } });
  simulation.runUntilIdle();
  expect(at(simulation.objects.get(key), "spec", "monitoring", "perses", "enabled")).toBe(false);
});
