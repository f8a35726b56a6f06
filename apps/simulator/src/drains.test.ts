import { asList, asText, at, type KubeObject, member } from "@virt/objects";
import { expect, test } from "vitest";
import { singleNode, threeWorkers } from "./standard-scenarios.ts";
import { conditionOf, type InMemorySimulation, objectsOf, startedSimulation } from "./testing/in-memory-simulation.ts";
import { kubeletConfig, machineConfig, psi, scenarioOf } from "./testing/planted-faults.ts";

const fileConfig = (path: string) =>
  machineConfig("99-worker-change", "worker", {
    config: { ignition: { version: "3.2.0" }, storage: { files: [{ path, contents: { source: "data:,a" } }] } },
  });
const find = ({ objects }: InMemorySimulation, key: string) => objects.get(key) ?? expect.fail(`no ${key}`);
const drained = (simulation: InMemorySimulation, node: string) =>
  conditionOf(find(simulation, `MachineConfigNode/${node}`), "Drained");
const messageOf = (simulation: InMemorySimulation, node: string) =>
  asText(member(drained(simulation, node), "message")) ?? "";
const annotationOf = (node: KubeObject, name: string) =>
  node.metadata.annotations?.[`machineconfiguration.openshift.io/${name}`];

/** Records when the drain status changes to an error or back, in seconds since the first attempt. */
const reportTurns = (simulation: InMemorySimulation, node: string, most: number) => {
  const seen: { readonly seconds: number; readonly isFailed: boolean; readonly renewed: string }[] = [];
  simulation.runUntil(() => {
    const message = simulation.objects.has(`MachineConfigNode/${node}`) ? messageOf(simulation, node) : "";
    const isFailed = message.startsWith("Error: Node Drain has not succeeded. Error is: ");
    if (isFailed !== (seen.at(-1)?.isFailed ?? !isFailed) && (isFailed || message.startsWith("Draining node. ")))
      seen.push({
        seconds: simulation.seconds(),
        isFailed,
        renewed: asText(member(drained(simulation, node), "lastTransitionTime")) ?? "",
      });
    return seen.length === most;
  });
  const [begin = expect.fail("no drain")] = seen;
  return seen.map(({ seconds, renewed }) => ({ seconds: seconds - begin.seconds, renewed }));
};

test("failed drains repeat immediately, and their error persists after 13 minutes", () => {
  const simulation = startedSimulation(scenarioOf("stuck-drain"));
  simulation.addObject(psi);
  const turns = reportTurns(simulation, "worker-0", 22);
  expect(turns.map(({ seconds }) => Math.round(seconds))).toEqual([
    0,
    ...[90, 180, 270, 360, 450, 540, 630, 720].flatMap((seconds) => [seconds, seconds]),
    810,
    1020,
    1110,
    1410,
    1500,
  ]);
  const overwritten = turns.slice(1, 17).map(({ seconds }) => seconds);
  for (let at = 0; at < overwritten.length; at += 2)
    expect((overwritten[at + 1] ?? 0) - (overwritten[at] ?? 0)).toBeCloseTo(0.015, 5);
  expect(messageOf(simulation, "worker-0")).toMatch(
    /^Error: Node Drain has not succeeded[.] Error is: error when evicting pods\/"virt-launcher-pinned-0-\w{5}" -n "vms": global timeout reached: 1m30s The drain will not be complete until desired drainer drain-rendered-worker-\w+ matches current drainer uncordon-rendered-worker-\w+$/,
  );
});

test("a refused drain is retried after a minute, and its error persists", () => {
  const budgets = scenarioOf("budgets");
  const objects = budgets.objects.filter(({ metadata }) => ["twice", "first", "second"].includes(metadata.name));
  const simulation = startedSimulation({ ...budgets, vms: [], objects });
  simulation.addObject(psi);
  const turns = reportTurns(simulation, "worker-1", 8);
  expect(turns.map(({ seconds }) => Math.round(seconds))).toEqual([0, 1, 5, 6, 66, 67, 127, 128]);
  expect(new Set(turns.map(({ renewed }) => renewed)).size).toBe(8);
});

test("each disruption class takes exactly its steps on a node", () => {
  const drainPolicy = { files: [{ path: "/etc/drained", actions: [{ type: "Drain" }] }] };
  const scenario = { ...threeWorkers, nodeDisruptionPolicy: drainPolicy };
  const stepsOf = (change: KubeObject) => {
    const simulation = startedSimulation(scenario);
    const boots = () =>
      ["worker-0", "worker-1"].map((name) => at(find(simulation, `Node/${name}`), "status", "nodeInfo"));
    const before = boots();
    simulation.addObject(change);
    simulation.runUntilIdle();
    const steps = ["is cordoned", "takes up", "is drained", "reboots", "runs"].filter((step) =>
      simulation.history.some((line) => line.startsWith("node worker-0 ") && line.includes(step)),
    );
    expect(JSON.stringify(before) === JSON.stringify(boots())).toBe(!steps.includes("reboots"));
    const node = find(simulation, "Node/worker-0");
    expect([at(node, "spec", "unschedulable"), annotationOf(node, "state")]).toEqual([undefined, "Done"]);
    expect(annotationOf(node, "desiredDrain")).toBe(annotationOf(node, "lastAppliedDrain"));
    return steps;
  };
  expect(stepsOf(psi)).toEqual(["is cordoned", "is drained", "reboots", "runs"]);
  expect(stepsOf(fileConfig("/etc/anything"))).toEqual(["is cordoned", "is drained", "reboots", "runs"]);
  expect(stepsOf(fileConfig("/etc/drained"))).toEqual(["is cordoned", "is drained", "runs"]);
  expect(stepsOf(fileConfig("/etc/containers/registries.d/a"))).toEqual(["takes up", "runs"]);
  expect(stepsOf(fileConfig("/etc/nmstate/openshift/a"))).toEqual(["takes up", "runs"]);
});

test("node annotations follow the update, which ends after the uncordon", () => {
  const simulation = startedSimulation(threeWorkers);
  simulation.addObject(psi);
  const seen: string[] = [];
  simulation.runUntilIdle(() => {
    const node = find(simulation, "Node/worker-0");
    const verb = (name: string) => annotationOf(node, name)?.split("-")[0] ?? "";
    const isCurrent = annotationOf(node, "currentConfig") === annotationOf(node, "desiredConfig");
    const line = [
      isCurrent ? "current" : "behind",
      at(node, "spec", "unschedulable") === true ? "cordoned" : "schedulable",
      ...["state", "desiredDrain", "lastAppliedDrain", "post-config-action"].map(verb),
    ].join(" ");
    if (seen.at(-1) !== line) seen.push(line);
  });
  expect(seen).toEqual([
    "current schedulable Done uncordon uncordon ",
    "behind schedulable Done uncordon uncordon ",
    "behind cordoned Working drain uncordon ",
    "behind cordoned Working drain drain ",
    "behind cordoned Working drain drain Rebooting",
    "behind cordoned Working uncordon drain ",
    "behind schedulable Working uncordon uncordon ",
    "current schedulable Done uncordon uncordon ",
  ]);
});

test("pending nodes have a PreferNoSchedule taint until they are updated", () => {
  const simulation = startedSimulation(threeWorkers);
  simulation.addObject(psi);
  const taintsOf = (name: string) => at(find(simulation, `Node/${name}`), "spec", "taints");
  const isDraining = () =>
    annotationOf(find(simulation, "Node/worker-0"), "desiredDrain")?.startsWith("drain-") === true;
  simulation.runUntil(isDraining);
  const taint = { key: "UpdateInProgress", effect: "PreferNoSchedule" };
  expect(["worker-0", "worker-1", "worker-2"].map(taintsOf)).toEqual([undefined, [taint], [taint]]);
  simulation.runUntilIdle();
  expect(["worker-0", "worker-1", "worker-2"].map(taintsOf)).toEqual([undefined, undefined, undefined]);
});

test("a single node reboots without a drain, and VMs with run strategy Always restart", () => {
  const group = { namespace: "vms", count: 1, memoryGiB: [4] };
  const vms = [
    { ...group, name: "always" },
    { ...group, name: "manual", runStrategy: "Manual" as const },
  ];
  const simulation = startedSimulation({ ...singleNode, vms });
  simulation.addObject(machineConfig("99-master-change", "master", { kernelArguments: ["psi=1"] }));
  let wasCordoned = false;
  simulation.runUntilIdle(() => {
    wasCordoned ||= at(find(simulation, "Node/node-0"), "spec", "unschedulable") === true;
  });
  expect(wasCordoned).toBe(false);
  const phaseOf = (name: string) => at(find(simulation, `VirtualMachineInstance/vms/${name}-0`), "status", "phase");
  expect([phaseOf("always"), phaseOf("manual")]).toEqual(["Running", "Succeeded"]);
});

test("a drain evicts bare pods, but no protected, DaemonSet or static pods", () => {
  const simulation = startedSimulation(scenarioOf("budgets"));
  expect(at(find(simulation, "PodDisruptionBudget/apps/protected"), "status")).toMatchObject({
    currentHealthy: 1,
    desiredHealthy: 1,
    disruptionsAllowed: 0,
  });
  const owners = objectsOf(simulation, "PodDisruptionBudget").map((budget) =>
    at(asList(at(budget, "metadata", "ownerReferences"))[0], "kind"),
  );
  expect(owners.filter((kind) => kind === "VirtualMachineInstance")).toHaveLength(1);
  simulation.addObject(psi);
  simulation.runUntil(() => messageOf(simulation, "worker-1").includes("more than one PodDisruptionBudget"));
  expect(messageOf(simulation, "worker-1")).toMatch(/pods\/"protected" -n "apps": global timeout reached/);
  const left = [...simulation.objects.keys()].filter((key) => key.startsWith("Pod/apps/"));
  expect(left.toSorted()).toEqual(["Pod/apps/agent", "Pod/apps/protected", "Pod/apps/static", "Pod/apps/twice"]);
});

test("an invalid maxUnavailable stops a pool, and only its nodes count", () => {
  const pools = [{ name: "master" }, { name: "worker", maxUnavailable: "2" }];
  const simulation = startedSimulation({ ...threeWorkers, pools });
  const bare = (name: string, os: string, annotations: Readonly<Record<string, string>>): KubeObject => ({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, annotations, labels: { "kubernetes.io/os": os, "node-role.kubernetes.io/worker": "" } },
  });
  simulation.addObject(bare("windows", "windows", {}));
  simulation.addObject(bare("late", "linux", { "simulator.kubevirt.io/not-joined": "" }));
  simulation.addObject(psi);
  simulation.runUntilIdle();
  expect(simulation.history.filter((line) => line.includes("is cordoned"))).toEqual([]);
  expect(at(find(simulation, "MachineConfigPool/worker"), "status")).toMatchObject({
    machineCount: 4,
    unavailableMachineCount: 1,
    updatedMachineCount: 0,
  });
  expect(find(simulation, "Node/windows").metadata.annotations).toEqual({});
});

test("a refused KubeletConfig blocks rendering without a pool condition", () => {
  const simulation = startedSimulation(threeWorkers);
  simulation.addObject(kubeletConfig("static-pods", { staticPodPath: "/etc/pods" }));
  simulation.runUntilIdle();
  simulation.addObject(psi);
  simulation.runUntilIdle();
  const pool = find(simulation, "MachineConfigPool/worker");
  const sources = asList(at(pool, "spec", "configuration", "source")).map((each) => member(each, "name"));
  expect(sources).not.toContain(psi.metadata.name);
  expect(conditionOf(pool, "RenderDegraded")).toMatchObject({ status: "False" });
  simulation.objects.delete("KubeletConfig/static-pods");
  simulation.runUntilIdle();
  expect(at(find(simulation, "MachineConfigPool/worker"), "status", "updatedMachineCount")).toBe(3);
});
