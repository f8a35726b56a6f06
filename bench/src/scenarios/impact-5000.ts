// Measures the cost of assessing the impact on 500 nodes with 5,000 VMs, for the computation alone and in each
// controller.

import type { Json, KubeObject } from "@virt/api";
import { assessImpact } from "@virt/impact";
import {
  clusterFacts,
  controlPlane,
  namesOf,
  nodeObject,
  poolObject,
  vmObject,
  vmsOn,
  workers,
} from "@virt/impact/testing/cluster-builder";
import { asList, at } from "@virt/objects";
import type { AuditEvent, Server } from "@virt/testkit";
import { edit, loadAware, ok, phase, startAdvisor, startOver } from "../advisor-cluster.ts";
import { createNamespace, inParallel } from "../config-maps.ts";
import type { FigureSpec } from "../figures.ts";
import { percentile } from "../percentiles.ts";
import { converged, hcoPath, preparePlatform, startPlatform } from "../platform-cluster.ts";
import { cpuMsOf, type Memory, memoryOf } from "../process-figures.ts";
import { countByVerb, isUpkeep, requestsIn } from "../requests-from-audit.ts";
import { type Measured, ourAccount, type Rig, type Scenario } from "../scenario.ts";
import { pause, timed, until } from "../wait.ts";

const counts = { quick: 50, usual: 500, full: 500 };
const vmsOnEach = 10;
const computations = { quick: 50, usual: 200, full: 500 };
const settleMs = 15_000;
const quietMs = 20_000;
const limitMs = 120_000;
const mco = "/apis/machineconfiguration.openshift.io/v1";
const swapPath = `${mco}/machineconfigs/50-virt-swap-enable`;
const vmis = "/apis/kubevirt.io/v1/namespaces/vms/virtualmachineinstances";
const reportName = "virt-platform-operator-report";
const nodeName = (index: number) => `impact-${index}`;

async function measure(rig: Rig): Promise<Measured> {
  rig.say("computing");
  const computed = compute(computations[rig.size]);
  const platform = await measurePlatform(rig);
  const advisor = await measureAdvisor(rig);
  return {
    samples: {
      "computation, p50": [percentile(computed, 0.5)],
      "computation, p99": [percentile(computed, 0.99)],
      ...samplesOf("platform", platform),
      ...samplesOf("advisor", advisor),
    },
    requests: countByVerb([...platform.asked, ...advisor.asked]),
  };
}

/** `published` is the number of writes that publish the impact. */
type Followed = {
  readonly assessedMs: number;
  readonly assessedCpuMs: number;
  readonly rest: Memory;
  readonly following: Memory;
  readonly cpuMs: number;
  readonly asked: readonly AuditEvent[];
  readonly published: readonly AuditEvent[];
};

function samplesOf(controller: string, followed: Followed): Measured["samples"] {
  const { assessedMs, assessedCpuMs, rest, following, cpuMs, asked, published } = followed;
  return {
    [`${controller}: first assessment`]: [assessedMs],
    [`${controller}: CPU of the first assessment`]: [assessedCpuMs],
    [`${controller}: RSS at rest`]: [rest.rssMb],
    [`${controller}: RSS above rest`]: [following.rssMb - rest.rssMb],
    [`${controller}: peak RSS above rest`]: [following.peakMb - rest.rssMb],
    [`${controller}: requests while nothing shown changes`]: [asked.length],
    [`${controller}: writes of it while nothing shown changes`]: [published.length],
    [`${controller}: CPU a second meanwhile`]: [(cpuMs * 1_000) / quietMs],
  };
}

/** Deletes an object while the reboot gate is enabled. The first assessment ends with the event about the blocked write. */
async function measurePlatform(rig: Rig): Promise<Followed> {
  const { api, say } = rig;
  await using operator = startPlatform(rig);
  await converged(api);
  say("letting the platform controller settle");
  await pause(settleMs);
  const rest = memoryOf(operator.pid);
  ok(await api.request({ method: "PATCH", path: hcoPath, body: gated("no-blockers") }));
  await pause(1_000);
  say("waiting for its first assessment");
  await forgetHeld(api);
  const cpu = cpuMsOf(operator.pid);
  ok(await api.request({ method: "DELETE", path: swapPath }));
  const assessedMs = await timed(() =>
    until("the write is on hold", limitMs, async () => (await eventsOfHold(api)).length > 0),
  );
  const assessedCpuMs = cpuMsOf(operator.pid) - cpu;
  const followed = await follow(rig, operator.pid, reportName);
  await operator.end();
  ok(await api.request({ method: "PATCH", path: hcoPath, body: gated(null) }));
  return { assessedMs, assessedCpuMs, rest, ...followed };
}

/**
 * Changes a plan so that it affects nodes. The first assessment ends when the status shows affected VMs. Memory at rest
 * is measured with a plan that does not change nodes.
 */
async function measureAdvisor(rig: Rig): Promise<Followed> {
  const { api, say } = rig;
  await using operator = await startAdvisor(rig);
  say("letting the advisor settle");
  await edit(api, loadAware, { action: "DryRun", options: { loadAware: { enablePSIMetrics: false } } });
  await phase(api, loadAware, "ReviewRequired");
  await pause(settleMs);
  const rest = memoryOf(operator.pid);
  say("waiting for its first assessment");
  const cpu = cpuMsOf(operator.pid);
  await edit(api, loadAware, { options: { loadAware: { enablePSIMetrics: true } } });
  await until("the plan for nodes is shown", limitMs, async () => {
    const { disruption = [] } = await phase(api, loadAware, "ReviewRequired");
    return disruption.length > 0;
  });
  const assessedMs = await timed(() =>
    until("the impact is shown", limitMs, async () => {
      const { impact } = await phase(api, loadAware, "ReviewRequired");
      return impact?.vms !== undefined;
    }),
  );
  const assessedCpuMs = cpuMsOf(operator.pid) - cpu;
  const followed = await follow(rig, operator.pid, "/status");
  await startOver(api);
  await operator.end();
  return { assessedMs, assessedCpuMs, rest, ...followed };
}

/**
 * Measures while VM fields that no controller reads change. `shown` is a substring of the path of requests that write
 * the impact.
 */
async function follow({ api, say, size }: Rig, pid: number, shown: string) {
  await pause(settleMs);
  say("changes that affect no shown value");
  const from = new Date();
  const cpu = cpuMsOf(pid);
  for (let second = 0; second < quietMs / 1_000; second++) {
    const next = performance.now() + 1_000;
    await inParallel(10, (each) => touch(api, (second * 10 + each) % counts[size]));
    await pause(Math.max(0, next - performance.now()));
  }
  const cpuMs = cpuMsOf(pid) - cpu;
  const all = requestsIn(api.audit(), { account: ourAccount, from, until: new Date() });
  const asked = all.filter((event) => !isUpkeep(event));
  const published = all.filter(({ requestURI }) => requestURI.includes(shown));
  return { cpuMs, asked, published, following: memoryOf(pid) };
}

const gated = (value: string | null) => ({ metadata: { annotations: { "platform.kubevirt.io/reboot-gate": value } } });

/** Measures the computation in this process: 500 workers, 10% at a time, and a blocking VM on 300 of them. */
function compute(times: number): readonly number[] {
  const nodes = workers(500);
  const names = namesOf(nodes);
  const blocking = names.slice(0, 300).map((node) => vmObject(`${node}-disks`, node, { gib: 4, isMigratable: false }));
  const facts = clusterFacts({
    nodes: [...nodes, ...controlPlane],
    pools: [poolObject("master"), poolObject("worker", { maxUnavailable: "10%" })],
    vms: [...vmsOn(names, vmsOnEach, { gib: 4 }), ...blocking],
  });
  const compute = () => {
    const begun = performance.now();
    assessImpact(facts);
    return performance.now() - begun;
  };
  for (let warm = 0; warm < 20; warm++) compute();
  return Array.from({ length: times }, compute);
}

const events = "/apis/events.k8s.io/v1/namespaces/openshift-cnv/events";

async function eventsOfHold(api: Server): Promise<readonly KubeObject[]> {
  const { body } = await api.request({ path: events });
  return (asList(at(body as Json, "items")) as readonly KubeObject[]).filter(({ reason }) => reason === "RebootHeld");
}

/** Deletes the events, because an event from an earlier round would end the wait too early. */
async function forgetHeld(api: Server): Promise<void> {
  for (const { metadata } of await eventsOfHold(api))
    ok(await api.request({ method: "DELETE", path: `${events}/${metadata.name}` }));
}

/** Simulates KubeVirt's frequent writes to fields that our controllers do not read. */
async function touch(api: Server, node: number): Promise<void> {
  const body = { metadata: { annotations: { "bench.example.com/beat": `${Date.now()}` } } };
  ok(await api.request({ method: "PATCH", path: `${vmis}/${nodeName(node)}-vm-0`, body }));
}

async function prepare(rig: Rig): Promise<void> {
  const { api, say, size } = rig;
  await preparePlatform(rig);
  for (const name of ["vms", "virt-advisor-operator-system", "openshift-kube-descheduler-operator"])
    await createNamespace(api, name);
  const rendered = { apiVersion: mco.slice("/apis/".length), kind: "MachineConfig", metadata: { name: "rendered-1" } };
  const config: KubeObject = { ...rendered, spec: {} };
  ok(await api.request({ method: "POST", path: `${mco}/machineconfigs`, body: config }));
  const pool = poolObject("worker", { maxUnavailable: "10%" });
  ok(await api.request({ method: "POST", path: `${mco}/machineconfigpools`, body: pool }));
  say(`creating ${counts[size]} nodes with ${vmsOnEach} VMs each`);
  await inParallel(counts[size], async (index) => {
    const { status, ...node } = nodeObject(nodeName(index));
    ok(await api.request({ method: "POST", path: "/api/v1/nodes", body: node }));
    const path = `/api/v1/nodes/${nodeName(index)}`;
    ok(await api.request({ method: "PATCH", path, body: { spec: { taints: null } } }));
    ok(await api.request({ method: "PATCH", path: `${path}/status`, body: { status: status ?? {} } }));
  });
  const nodes = Array.from({ length: counts[size] }, (_, index) => nodeName(index));
  const vms = [...vmsOn(nodes, vmsOnEach), vmObject("stubborn", nodeName(1), { isMigratable: false })];
  await inParallel(vms.length, async (index) =>
    ok(await api.request({ method: "POST", path: vmis, body: storable(vms[index]) })),
  );
}

function storable(vm: KubeObject | undefined): KubeObject {
  const { metadata, ...rest } = vm ?? vmObject("", "");
  const owner = { apiVersion: "kubevirt.io/v1", kind: "VirtualMachine", name: metadata.name, uid: metadata.name };
  const domain = { ...(at(rest, "spec", "domain") as object), devices: {} };
  return {
    ...rest,
    metadata: { name: metadata.name, ownerReferences: [{ ...owner, controller: true }] },
    spec: { ...(rest["spec"] as object), domain },
  };
}

function figuresOf(controller: string): readonly FigureSpec[] {
  const none = { is: "at most", value: 0, isExact: true } as const;
  return [
    { name: `${controller}: first assessment`, unit: "ms", goal: { is: "at most", value: 2_000, isExact: false } },
    { name: `${controller}: CPU of the first assessment`, unit: "ms" },
    { name: `${controller}: RSS at rest`, unit: "MB" },
    {
      name: `${controller}: RSS above rest`,
      unit: "MB",
      goal: { is: "at most", value: 12, isExact: true },
      isLong: true,
    },
    { name: `${controller}: peak RSS above rest`, unit: "MB" },
    { name: `${controller}: requests while nothing shown changes`, unit: "count", goal: none },
    { name: `${controller}: writes of it while nothing shown changes`, unit: "count", goal: none },
    { name: `${controller}: CPU a second meanwhile`, unit: "ms" },
  ];
}

export const impact5000: Scenario = {
  name: "impact-5000",
  says: "the impact on 500 nodes with 5,000 VMs (500 in a quick run) of a write that the reboot gate puts on hold, then of a pending plan; then 10 VM changes per second that affect no shown value",
  isQuick: false,
  perRound: 1,
  figures: [
    { name: "computation, p50", unit: "ms" },
    { name: "computation, p99", unit: "ms", goal: { is: "at most", value: 50, isExact: false } },
    ...figuresOf("platform"),
    ...figuresOf("advisor"),
  ],
  prepare,
  measure,
};
