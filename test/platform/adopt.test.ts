// Moves objects from virt-platform-autopilot to our operator and back, on a real API server with a simulated cluster.

import { at } from "@virt/objects";
import type { AuditEvent } from "@virt/testkit";
import { afterEach, expect, test } from "vitest";
import { userWithRules } from "../cli/user-with-rules.ts";
import {
  type AdoptedTestCluster,
  operatorSwitches,
  sharedPaths,
  startAdoptedCluster,
} from "../support/adopted-cluster.ts";
import { followPlugin, type PluginRun, runPlugin } from "../support/plugin.ts";

const theirs = "virt-platform-autopilot";
const ours = "virt-platform-operator";
const prefix = "platform.kubevirt.io/";
const { hco, psi, swap, ownSwap, descheduler, monitoring, troubleshooting } = sharedPaths;
let cluster: AdoptedTestCluster;

afterEach(() => cluster[Symbol.asyncDispose]());

const adopt = (...args: readonly string[]): Promise<PluginRun> =>
  runPlugin(["adopt", ...args], cluster.testCluster.server);
const managers = (...paths: readonly string[]) => Promise.all(paths.map(cluster.managerOf));
const contentOf = async (path: string) => (await cluster.read(path))?.["spec"];

test("story A: equal objects move without a reboot, and the way back restores theirs", async () => {
  cluster = await startAdoptedCluster();
  const sources = await cluster.settledSources();
  const before = await Promise.all([descheduler, monitoring, psi, swap].map(contentOf));
  const there = await adopt("--yes");
  expect(there).toMatchObject({ code: 0 });
  expect(there.err).toMatch(/MachineConfig 99-openshift-machineconfig-worker-psi-karg +psi-enable +yes +take over +0/);
  expect(there.err).toMatch(
    /MachineConfig 90-worker-swap-online +swap-enable +no +keep +0 +to replace it, add --replace/,
  );
  expect(there.err).toContain("Impact: Reboots 0 nodes.");
  expect(await managers(hco, psi, descheduler, monitoring)).toEqual([ours, ours, ours, ours]);
  expect(await managers(swap)).toEqual([theirs]);
  expect(await operatorSwitches(cluster)).toMatchObject({
    autopilot: "false",
    own: expect.stringContaining("psi-enable"),
  });
  expect(await adopt("--yes")).toMatchObject({ code: 2, out: "There is nothing to adopt. Nothing was changed.\n" });

  const back = await adopt("--back", "--yes");
  expect(back).toMatchObject({ code: 0 });
  expect(back.err).toContain("Impact: Reboots 0 nodes.");
  expect(await operatorSwitches(cluster)).toEqual({ autopilot: undefined, own: "false" });
  await expect.poll(() => managers(hco, psi, descheduler, monitoring)).toEqual([theirs, theirs, theirs, theirs]);
  const after = await Promise.all([descheduler, monitoring, psi, swap].map(contentOf));
  expect(after).toMatchObject(before as object[]);
  expect(await adopt("--back")).toMatchObject({ code: 2, out: "There is nothing to return. Nothing was changed.\n" });
  expect(await cluster.settledSources()).toEqual(sources);
  expect(cluster.reboots()).toEqual([]);
});

test("story B: with --replace swap-enable, each worker reboots once", async () => {
  cluster = await startAdoptedCluster();
  const there = await adopt("--replace", "swap-enable", "--yes");
  expect(there).toMatchObject({ code: 0 });
  expect(there.err).toContain("Impact: Reboots 3 nodes (worker pool, one at a time).");
  expect(await managers(ownSwap, swap)).toEqual([ours, undefined]);
  expect((await operatorSwitches(cluster)).own).toContain("swap-enable");
  await expect.poll(() => cluster.settledSources()).toContain("50-virt-swap-enable");
  expect(await cluster.settledSources()).not.toContain("90-worker-swap-online");
  expect(cluster.reboots().toSorted()).toEqual(["worker-0", "worker-1", "worker-2"]);

  const back = await adopt("--back");
  expect(back).toMatchObject({ code: 1 });
  expect(back.err).toMatch(/MachineConfig 90-worker-swap-online +creates +3/);
  expect(back.err).toContain("Impact: Reboots 3 nodes, started by virt-platform-autopilot.");
  expect(back.err).toContain("  kubectl delete machineconfig 50-virt-swap-enable\n");
});

test("story C: an edit by the autopilot during the wait restarts the wait", async () => {
  cluster = await startAdoptedCluster();
  const { server } = cluster.testCluster;
  const run = followPlugin(["adopt", "--yes"], server);
  await expect.poll(run.err).toContain("Waiting until virt-platform-autopilot has not written for 30 seconds");
  const body = {
    apiVersion: "observability.openshift.io/v1alpha1",
    kind: "UIPlugin",
    metadata: { name: "troubleshooting-panel", annotations: { late: "write" } },
    spec: { type: "TroubleshootingPanel" },
  };
  const switchedAt = Date.parse(writesTo("hyperconvergeds").at(-1)?.requestReceivedTimestamp ?? "");
  await expect.poll(() => Date.now() - switchedAt).toBeGreaterThan(12_000);
  const contentType = "application/apply-patch+yaml";
  const path = `${troubleshooting}?fieldManager=${theirs}&force=true`;
  expect((await server.request({ method: "PATCH", path, contentType, body })).status).toBe(200);
  const editedAt = Date.now();
  expect(await run.ended).toMatchObject({ code: 0 });
  const adopted = Date.parse(writesTo("machineconfigs")[0]?.requestReceivedTimestamp ?? "");
  expect(adopted - editedAt).toBeGreaterThan(28_000); // managedFields have whole seconds
});

test("story D: without patch on MachineConfigs, nothing is written", async () => {
  cluster = await startAdoptedCluster();
  const { server } = cluster.testCluster;
  const reads = { apiGroups: ["*"], resources: ["*"], verbs: ["get", "list"] };
  const patches = (group: string, ...resources: readonly string[]) => ({
    apiGroups: [group],
    resources,
    verbs: ["patch"],
  });
  const rules = [
    reads,
    patches("hco.kubevirt.io", "hyperconvergeds"),
    patches("operator.openshift.io", "kubedeschedulers"),
    patches("observability.openshift.io", "uiplugins"),
  ];
  const person = await userWithRules(server, "mover", rules);
  const run = () => runPlugin(["adopt", "--yes"], person);
  await expect.poll(async () => (await run()).err).toContain("cannot patch MachineConfig");
  expect(await run()).toMatchObject({ code: 1, out: "" });
  expect(writesBy("mover")).toEqual([]);
  expect(await operatorSwitches(cluster)).toEqual({ autopilot: undefined, own: undefined });
});

test("an adoption that is interrupted after each step finishes with the next run", async () => {
  cluster = await startAdoptedCluster();
  const sources = await cluster.settledSources();
  const runs: InterruptedRun[] = [];
  do
    runs.push(await interruptAfterStep()); // oxlint-disable-line no-await-in-loop -- one run after the other
  while (runs.at(-1)?.code === 130);
  expect(runs.length).toBeGreaterThan(3);
  expect(new Set(runs.flatMap(({ steps }) => steps)).size).toBe(runs.flatMap(({ steps }) => steps).length);
  expect((await adopt("--yes")).code).toBe(2);
  expect(await managers(hco, psi, descheduler, monitoring)).toEqual([ours, ours, ours, ours]);
  expect(await cluster.settledSources()).toEqual(sources);
  expect(cluster.reboots()).toEqual([]);
});

type InterruptedRun = { readonly code: number | null; readonly steps: readonly string[] };

async function interruptAfterStep(): Promise<InterruptedRun> {
  const run = followPlugin(["adopt", "--yes"], cluster.testCluster.server);
  const steps = () => run.err().match(/^Annotated .*$/gmu) ?? [];
  let isOver = false;
  const ended = run.ended.finally(() => {
    isOver = true;
  });
  await expect.poll(() => isOver || steps().length > 0, { interval: 5 }).toBe(true);
  run.interrupt();
  const { code } = await ended;
  return { code, steps: steps() };
}

test("leaves unmanaged and excluded objects alone, and lists them", async () => {
  cluster = await startAdoptedCluster();
  await cluster.edit(monitoring, { metadata: { annotations: { [`${prefix}mode`]: "unmanaged" } } });
  const rules = "- kind: KubeDescheduler\n  name: cluster\n";
  await cluster.edit(hco, { metadata: { annotations: { [`${prefix}disabled-resources`]: rules } } });
  const kept = async () => {
    const objects = await Promise.all([monitoring, descheduler].map(cluster.read));
    return objects.map((object) => ({ metadata: { ...object?.metadata, ...serverFields }, spec: object?.["spec"] }));
  };
  const before = await kept();
  const { code, err } = await adopt("--yes");
  expect(code).toBe(0);
  expect(err).toMatch(/UIPlugin monitoring +observability-operator +- +keep +0 +it is unmanaged/);
  expect(err).toMatch(
    /KubeDescheduler \S+ +descheduler-loadaware +- +keep +0 +rule .* of annotation disabled-resources/,
  );
  expect(await kept()).toEqual(before);
  expect(await managers(psi)).toEqual([ours]);
});

/** Other operators write the status. */
const serverFields = { resourceVersion: "", managedFields: [] };

function auditedWrites(): readonly AuditEvent[] {
  const isWrite = ({ verb, requestURI }: AuditEvent) =>
    ["create", "patch", "update", "delete"].includes(verb) && !requestURI.includes("dryRun");
  return cluster.testCluster.server.audit().filter(isWrite);
}

function writesBy(user: string): readonly string[] {
  const isReview = ({ objectRef }: AuditEvent) => objectRef?.apiGroup === "authorization.k8s.io";
  return auditedWrites()
    .filter((event) => event.user.username === user && !isReview(event))
    .map(({ requestURI }) => requestURI);
}

/** Returns the writes of the command line. */
function writesTo(resource: string): readonly AuditEvent[] {
  const isOfCommand = ({ requestURI }: AuditEvent) => requestURI.includes("fieldManager=kubectl-virt_advisor");
  return auditedWrites().filter((event) => isOfCommand(event) && at(event.objectRef ?? null, "resource") === resource);
}
