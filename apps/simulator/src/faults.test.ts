import { asList, asText, at, type KubeObject, member } from "@virt/objects";
import { expect, test } from "vitest";
import type { Scenario, ScenarioFault, VmGroup } from "./scenario.ts";
import { scenarios } from "./scenarios.ts";
import { threeWorkers } from "./standard-scenarios.ts";
import { type InMemorySimulation, simulateInMemory } from "./testing/in-memory-simulation.ts";

const scenarioOf = (name: string): Scenario => scenarios.get(name) ?? expect.fail(`no scenario ${name}`);
const psi: KubeObject = {
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfig",
  metadata: { name: "99-worker-psi-karg", labels: { "machineconfiguration.openshift.io/role": "worker" } },
  spec: { kernelArguments: ["psi=1"] },
};
const one = (more: Partial<VmGroup> = {}): VmGroup => ({
  name: "vm",
  namespace: "vms",
  count: 1,
  memoryGiB: [8],
  nodes: ["worker-0"],
  ...more,
});
const small: Scenario = { ...threeWorkers, vms: [one()] };
const find = ({ objects }: InMemorySimulation, key: string) => objects.get(key) ?? expect.fail(`no ${key}`);
const ofKind = ({ objects }: InMemorySimulation, kind: string) =>
  [...objects.values()].filter((object) => object.kind === kind);
const migrations = (simulation: InMemorySimulation) => ofKind(simulation, "VirtualMachineInstanceMigration");
const phaseOf = (object: KubeObject) => asText(at(object, "status", "phase")) ?? "";
const condition = (object: KubeObject, type: string) =>
  asList(at(object, "status", "conditions")).find((each) => member(each, "type") === type);
const drainError = (simulation: InMemorySimulation) =>
  asText(member(condition(find(simulation, "MachineConfigNode/worker-0"), "Drained"), "message")) ?? "";
const kubevirt = { kind: "KubeVirt", namespace: "openshift-cnv", name: "kubevirt-kubevirt-hyperconverged" } as const;
const fault = (given: Omit<ScenarioFault, "afterSeconds" | "value"> & { readonly value?: string }): ScenarioFault => ({
  afterSeconds: 0,
  value: "",
  ...given,
});
const machine = { kind: "VirtualMachineInstance", namespace: "vms", name: "vm-0" } as const;

/** Starts a rollout in a cluster that has the faults from the beginning. */
function rollOut(scenario: Scenario, ...faults: readonly ScenarioFault[]): InMemorySimulation {
  const simulation = simulateInMemory({ ...scenario, faults }, 1);
  simulation.runUntilIdle();
  simulation.addObject(psi);
  return simulation;
}

type FaultCase = {
  readonly name: string;
  readonly scenario?: Scenario;
  readonly faults: readonly ScenarioFault[];
  readonly shows: (simulation: InMemorySimulation) => boolean;
};

const waiting = (type: string) => (simulation: InMemorySimulation) =>
  migrations(simulation).some((each) => phaseOf(each) === "Pending" && condition(each, type) !== undefined);
const held = (value: string, type: string): FaultCase => ({
  name: `migration-held: ${value}`,
  faults: [fault({ ...machine, annotation: "migration-held", value })],
  shows: waiting(type),
});
const degraded = (reason: string, state: string): FaultCase => ({
  name: `degrade: ${reason}`,
  faults: [fault({ kind: "Node", name: "worker-0", annotation: "degrade", value: reason })],
  shows: (simulation) => {
    const { annotations = {} } = find(simulation, "Node/worker-0").metadata;
    const message = member(condition(find(simulation, "MachineConfigNode/worker-0"), "NodeDegraded"), "message");
    return (
      annotations["machineconfiguration.openshift.io/state"] === state &&
      message === `Node worker-0 upgrade failure. ${reason}`
    );
  },
});
const budgetPod = { kind: "Pod", namespace: "apps", name: "bare" } as const;

const cases: readonly FaultCase[] = [
  {
    name: "operator-down",
    faults: [
      { ...fault({ kind: "MachineConfigPool", name: "worker", annotation: "operator-down" }), afterSeconds: 100 },
    ],
    shows: (simulation) => {
      const pool = find(simulation, "MachineConfigPool/worker");
      const isSeen = at(pool, "spec", "configuration", "source");
      return (
        simulation.history.includes("MachineConfigPool worker: operator-down begins") &&
        !JSON.stringify(isSeen ?? "").includes("psi")
      );
    },
  },
  {
    name: "certificate-expired",
    faults: [fault({ kind: "MachineConfigPool", name: "worker", annotation: "certificate-expired", value: "CN=a" })],
    shows: (simulation) => {
      const [expired] = asList(at(find(simulation, "MachineConfigPool/worker"), "status", "certExpirys"));
      return member(expired, "subject") === "CN=a" && (asText(member(expired, "expiry")) ?? "9") < "2020";
    },
  },
  {
    name: "cordon",
    faults: [fault({ kind: "Node", name: "worker-1", annotation: "cordon" })],
    shows: (simulation) => at(find(simulation, "Node/worker-1"), "spec", "unschedulable") === true,
  },
  {
    name: "a VM that waits for an external controller",
    scenario: { ...small, vms: [one({ evictionStrategy: "External" })] },
    faults: [],
    shows: (simulation) =>
      at(find(simulation, "VirtualMachineInstance/vms/vm-0"), "status", "evacuationNodeName") === "worker-0" &&
      migrations(simulation).length === 0 &&
      drainError(simulation).includes("virt-launcher-vm-0-"),
  },
  {
    name: "virt-controller-down",
    faults: [fault({ ...kubevirt, annotation: "virt-controller-down" })],
    shows: (simulation) =>
      at(find(simulation, "VirtualMachineInstance/vms/vm-0"), "status", "evacuationNodeName") === "worker-0" &&
      migrations(simulation).length === 0 &&
      drainError(simulation).includes("virt-launcher-vm-0-"),
  },
  {
    name: "virt-api-down",
    faults: [fault({ ...kubevirt, annotation: "virt-api-down" })],
    shows: (simulation) =>
      /failed calling webhook "virt-launcher-eviction-interceptor/.test(drainError(simulation)) &&
      at(find(simulation, "VirtualMachineInstance/vms/vm-0"), "status", "evacuationNodeName") === undefined,
  },
  {
    name: "fail-migrations",
    faults: [fault({ ...machine, annotation: "fail-migrations", value: "no route" })],
    shows: (simulation) =>
      migrations(simulation).filter((each) => at(each, "status", "migrationState", "failureReason") === "no route")
        .length === 3,
  },
  {
    name: "slow-migrations",
    faults: [fault({ ...machine, annotation: "slow-migrations" })],
    shows: (simulation) =>
      migrations(simulation).some(
        (each) =>
          at(each, "status", "migrationState", "failureReason") ===
          "Live migration is not completed after 1200 seconds and has been aborted",
      ),
  },
  held("quota", "migrationRejectedByResourceQuota"),
  held("backup", "migrationBlockedByBackup"),
  held("utility-volume", "migrationBlockedByUtilityVolumes"),
  {
    name: "never-ends",
    scenario: { ...scenarioOf("budgets"), objects: scenarioOf("budgets").objects.slice(-3) },
    faults: [fault({ ...budgetPod, annotation: "never-ends" })],
    shows: (simulation) =>
      /error when waiting for pod "bare" in namespace "apps" to terminate: /.test(
        asText(member(condition(find(simulation, "MachineConfigNode/worker-1"), "Drained"), "message")) ?? "",
      ),
  },
  {
    name: "stuck-drain",
    faults: [fault({ kind: "Node", name: "worker-0", annotation: "stuck-drain" })],
    shows: (simulation) =>
      drainError(simulation).startsWith("Error: Node Drain has not succeeded") &&
      !drainError(simulation).includes("pod"),
  },
  degraded("content mismatch for file /etc/hosts", "Degraded"),
  degraded(
    "can't reconcile config rendered-a with rendered-b: ignition disks section contains changes",
    "Unreconcilable",
  ),
  degraded("failed to update OS: running rpm-ostree kargs failed", "Degraded"),
  {
    name: "slow-reboot",
    faults: [fault({ kind: "Node", name: "worker-0", annotation: "slow-reboot", value: "10h" })],
    shows: (simulation) => simulation.seconds() > 36_000 && simulation.history.includes("node worker-0 is ready"),
  },
  {
    name: "degrade of KubeVirt",
    faults: [fault({ ...kubevirt, annotation: "degrade", value: "no nodes" })],
    shows: (simulation) =>
      ofKind(simulation, "KubeVirt").some((each) => member(condition(each, "Degraded"), "message") === "no nodes"),
  },
  {
    name: "degrade of HCO",
    faults: [
      fault({
        kind: "HyperConverged",
        namespace: "openshift-cnv",
        name: "kubevirt-hyperconverged",
        annotation: "degrade",
        value: "no nodes",
      }),
    ],
    shows: (simulation) =>
      ofKind(simulation, "HyperConverged").some(
        (each) => member(condition(each, "Degraded"), "message") === "no nodes",
      ),
  },
  {
    name: "degrade of the descheduler",
    scenario: { ...small, descheduler: { namespace: "descheduler", spec: { managementState: "Managed" } } },
    faults: [
      fault({
        kind: "KubeDescheduler",
        namespace: "descheduler",
        name: "cluster",
        annotation: "degrade",
        value: "no image",
      }),
    ],
    shows: (simulation) =>
      ofKind(simulation, "KubeDescheduler").some(
        (each) => member(condition(each, "TargetConfigControllerDegraded"), "reason") === "no image",
      ),
  },
];

test.each(cases)(
  "the fault $name is visible, and the rollout ends after its removal",
  ({ scenario = small, faults, shows }) => {
    const simulation = rollOut(scenario, ...faults);
    const isShown = () => simulation.objects.has("MachineConfigNode/worker-0") && shows(simulation);
    simulation.runUntil(isShown);
    for (const { kind, namespace, name, annotation } of faults) {
      const key = [kind, namespace, name].filter((part) => part !== undefined).join("/");
      const object = find(simulation, key);
      const { [`simulator.kubevirt.io/${annotation}`]: _gone, ...annotations } = object.metadata.annotations ?? {};
      const spec = annotation === "cordon" ? { spec: {} } : {};
      simulation.objects.set(key, { ...object, ...spec, metadata: { ...object.metadata, annotations } });
    }
    for (const owner of ofKind(simulation, "VirtualMachine").filter(() => faults.length === 0))
      simulation.objects.set("VirtualMachine/vms/vm-0", {
        ...owner,
        spec: { ...(owner["spec"] as object), runStrategy: "Halted" },
      });
    simulation.runUntilIdle();
    expect(at(find(simulation, "MachineConfigPool/worker"), "status")).toMatchObject({
      updatedMachineCount: 3,
      degradedMachineCount: 0,
    });
  },
);

test("a migration without a target fails after 5 minutes and backs off", () => {
  const simulation = rollOut(scenarioOf("no-room"));
  const seen: { readonly phase: string; readonly seconds: number }[] = [];
  simulation.runUntil(() => {
    const own = migrations(simulation).filter((each) => at(each, "spec", "vmiName") === "large-0");
    const turn = (each: KubeObject) => Number(each.metadata.annotations?.["simulator.kubevirt.io/turn"]);
    const newest = own.toSorted((left, right) => turn(right) - turn(left))[0];
    const phase =
      newest === undefined ? "" : `${own.filter((each) => phaseOf(each) === "Failed").length} ${phaseOf(newest)}`;
    if (newest !== undefined && seen.at(-1)?.phase !== phase) seen.push({ phase, seconds: simulation.seconds() });
    return seen.filter((each) => each.phase.endsWith("Scheduling")).length === 4;
  });
  const scheduling = seen.filter((each) => each.phase.endsWith("Scheduling")).map(({ seconds }) => seconds);
  const gaps = scheduling.slice(1).map((seconds, index) => Math.round(seconds - (scheduling[index] ?? 0)));
  expect(gaps).toEqual([320, 340, 380]);
});

test("migrations without a target occupy every slot, and others wait", () => {
  const simulation = rollOut(scenarioOf("starved-lanes"));
  simulation.runUntil(() => migrations(simulation).some((each) => phaseOf(each) === "Scheduling"));
  const began = simulation.seconds();
  let fewest = 5;
  simulation.runUntil(() => {
    const phases = migrations(simulation).map(phaseOf);
    const isSettled =
      phases.every((phase) => phase !== "") && !phases.every((phase) => phase === "Failed" || phase === "Pending");
    if (isSettled) fewest = Math.min(fewest, phases.filter((phase) => phase === "Scheduling").length);
    expect(phases.filter((phase) => phase === "Scheduling").length).toBeLessThanOrEqual(5);
    return simulation.seconds() > began + 280;
  });
  expect(fewest).toBe(5);
  expect(migrations(simulation).filter((each) => phaseOf(each) === "Pending")).toHaveLength(5);
});

test("a drain handles each VM by its strategy and its owner", () => {
  const simulation = rollOut(scenarioOf("mixed-vms"));
  const isEnded = (line: string) => /^vm vms[/](none|possible)-.* is shut down/.test(line);
  simulation.runUntil(
    () =>
      simulation.history.filter(isEnded).length === 6 &&
      simulation.history.filter((line) => / is on worker-[12]$/.test(line)).length === 4 &&
      simulation.history.filter((line) => line.includes(" starts on ")).length === 3,
  );
  const names = (pattern: RegExp) => simulation.history.flatMap((line) => pattern.exec(line)?.[1] ?? []).toSorted();
  expect(names(/^vm vms[/](.*)-0 is on /)).toEqual(["movable", "paused", "possible", "unspoken"]);
  expect(names(/^vm vms[/](.*)-0 starts on /)).toEqual(["none-always", "none-replica", "possible-always"]);
  const left = ofKind(simulation, "VirtualMachineInstance").filter(
    (each) => at(each, "status", "nodeName") === "worker-0" && phaseOf(each) !== "Succeeded",
  );
  expect(left.map(({ metadata }) => metadata.name).toSorted()).toEqual([
    "deleted-0",
    "external-0",
    "lost-0",
    "pinned-0",
    "starting-0",
    "unknown-0",
    "unmovable-0",
  ]);
});
