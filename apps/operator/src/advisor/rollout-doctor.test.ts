import { type Decision, publishStatus } from "@virt/advisor";
import type { JsonMap, KubeObject, RolloutStatus, Status } from "@virt/api";
import { machineConfigNodeInformer } from "@virt/cluster";
import { annotationPrefix, nodeObject, poolObject, psiConfig, vmObject } from "@virt/impact/testing/cluster-builder";
import type { InformerSpec, InformerState, ReconcileContext } from "@virt/kube";
import { equalJson } from "@virt/objects";
import { VirtualClock } from "@virt/testkit";
import { expect, test } from "vitest";
import { RolloutDoctor } from "./rollout-doctor.ts";
import { configWith } from "./testing/config-with.ts";

const start = Date.UTC(2026, 0, 2);
const draining = nodeObject("worker-0", {
  isCordoned: true,
  annotations: {
    [`${annotationPrefix}/desiredConfig`]: "rendered-2",
    [`${annotationPrefix}/state`]: "Working",
    [`${annotationPrefix}/desiredDrain`]: "drain-rendered-2",
  },
});
const source = [{ name: "99-worker-psi-karg" }];
const pool: KubeObject = {
  ...poolObject("worker", { configuration: { name: "rendered-2", source } }),
  metadata: { name: "worker", labels: { pool: "worker" } },
};
const rollouts: NonNullable<Status["rollouts"]> = [
  {
    machineConfig: "99-worker-psi-karg",
    before: [{ pool: "worker", configuration: "rendered-1" }],
    startTime: "2026-01-02T00:00:00Z",
  },
];

/** Returns a doctor, its lists and its clock. `missing` is a kind that has not synced. `errors` are list errors by kind. */
function doctorOf(objects: readonly KubeObject[]) {
  const cluster = {
    seconds: 0,
    missing: "",
    errors: {} as Readonly<Record<string, string | undefined>>,
    podStatus: 200,
    objects: [draining, pool, ...objects],
  };
  const find = ({ apiVersion, kind }: InformerSpec) => {
    const items = cluster.objects.filter((object) => object.kind === kind && object.apiVersion === apiVersion);
    const state = kind === cluster.missing ? "starting" : "synced";
    const lastError = cluster.errors[kind];
    const isTooLarge = lastError === "too large";
    const store = { notifiedItems: items, items: () => items };
    return { state, store, lastError, isTooLarge } as unknown as InformerState;
  };
  const doctor = new RolloutDoctor({
    find,
    observedRollouts: () => [],
    hco: () => cluster.objects.find(({ kind }) => kind === "HyperConverged"),
    clock: { wall: () => 0, monotonic: () => cluster.seconds * 1000, schedule: () => () => undefined },
    areVmsNamed: true,
    wake: () => undefined,
  });
  const sentAt: number[] = [];
  const podsOn = new Map<string, readonly JsonMap[]>();
  const send = (request: object) => {
    sentAt.push(cluster.seconds);
    const node = /spec\.nodeName%3D([-a-z0-9]+)/.exec(JSON.stringify(request))?.[1] ?? "";
    const refusal = { kind: "Status", reason: cluster.podStatus === 403 ? "Forbidden" : "InternalError" };
    const body = cluster.podStatus === 200 ? { items: podsOn.get(node) ?? [] } : refusal;
    return Promise.resolve({
      kind: "answered",
      status: cluster.podStatus,
      body,
      text: JSON.stringify(body),
      headers: {},
    });
  };
  const read = () => {
    const message = cluster.errors["Infrastructure"];
    const isForbidden = message?.startsWith("403") === true;
    const failure = isForbidden ? { kind: "rejected", reason: "Forbidden" } : { kind: "unavailable" };
    return Promise.resolve(message === undefined ? { kind: "absent" } : { ...failure, message });
  };
  const context = { cluster: { read }, sender: { send } } as unknown as ReconcileContext;
  const diagnose = async (status?: Partial<Status>) => {
    const config = configWith({ phase: "InProgress", rollouts, ...status });
    const now = start + cluster.seconds * 1000;
    const read = { now, pools: [pool], live: () => psiConfig(), renderedOf: () => undefined };
    const collected = doctor.collect(config, read);
    return collected && (await doctor.diagnose(config, collected, context, false));
  };
  const diagnoseAt = (seconds: number, status?: Partial<Status>) => {
    cluster.seconds = seconds;
    return diagnose(status);
  };
  const noteWritten = (rollout: RolloutStatus | undefined) => doctor.noteWritten("load-aware-rebalancing", rollout);
  const notice = (after: KubeObject) =>
    doctor.noticeChange(machineConfigNodeInformer, { key: after.metadata.name, after });
  return { cluster, diagnose, diagnoseAt, sentAt, podsOn, notice, noteWritten };
}

test("a restarted process keeps the stored rollout until its lists are complete", async () => {
  const objects = [vmObject("vm-0", "worker-0", { isMigratable: false })];
  const before = doctorOf(objects);
  await before.diagnose();
  const shown = await before.diagnoseAt(120);
  expect(shown?.rollout.findings.map(({ id }) => id)).toEqual(["VMNotMigratable"]);

  const { cluster, diagnose } = doctorOf(objects);
  cluster.seconds = 125;
  for (const missing of ["VirtualMachineInstance", "Node", "MachineConfigNode", "KubeletConfig"]) {
    cluster.missing = missing;
    expect(await diagnose(shown)).toBeUndefined();
  }
  cluster.missing = "";
  const restarted = await diagnose(shown);
  expect(restarted?.rollout).toEqual(shown?.rollout);
});

test("diagnoses without a missing list after a minute, and reports it", async () => {
  const { cluster, diagnose, diagnoseAt } = doctorOf([]);
  cluster.missing = "VirtualMachineInstance";
  for (const seconds of [0, 59]) {
    expect(await diagnoseAt(seconds)).toBeUndefined();
  }
  expect((await diagnoseAt(60))?.rollout).toMatchObject({
    pools: [{ name: "worker", total: 1, inHand: 1 }],
    notAssessed: [{ what: "VirtualMachineInstance", reason: "Listing" }],
  });
  cluster.missing = "";
  expect((await diagnose())?.rollout).not.toHaveProperty("notAssessed");
});

const forbidden = "403 Forbidden: the user may not list it";
const inputs = [
  "MachineConfigPool",
  "Node",
  "MachineConfiguration",
  "KubeVirt",
  "VirtualMachineInstance",
  "PodDisruptionBudget",
  "KubeletConfig",
  "MachineConfigNode",
  "VirtualMachineInstanceMigration",
  "KubeDescheduler",
  "HyperConverged",
  "Infrastructure",
];

test.each(inputs)("reports %s as not assessed while it is forbidden", async (kind) => {
  const { cluster, diagnose } = doctorOf([]);
  cluster.errors = { [kind]: forbidden };
  expect((await diagnose())?.rollout.notAssessed).toEqual([{ what: kind, reason: "Forbidden", message: forbidden }]);
});

test("reports kinds with too many objects or a minute of failures", async () => {
  const { cluster, diagnoseAt } = doctorOf([]);
  cluster.errors = { VirtualMachineInstance: "too large", Node: "503 Service Unavailable", Infrastructure: "503" };
  const gapsAt = async (seconds: number) => {
    return ((await diagnoseAt(seconds))?.rollout.notAssessed ?? []).map(({ what, reason }) => `${what} ${reason}`);
  };
  const tooMany = "VirtualMachineInstance TooMany";
  expect(await gapsAt(0)).toEqual([tooMany]);
  await gapsAt(30);
  expect(await gapsAt(59)).toEqual([tooMany]);
  expect(await gapsAt(60)).toEqual(["Node Unavailable", tooMany, "Infrastructure Unavailable"]);
  cluster.errors = {};
  expect(await gapsAt(120)).toEqual([]);
});

test.each([
  { podStatus: 403, reason: "Forbidden", seconds: 0 },
  { podStatus: 500, reason: "Unavailable", seconds: 60 },
])("reports the pods of a draining node as not assessed: $podStatus", async (given) => {
  const { cluster, diagnoseAt } = doctorOf([]);
  cluster.podStatus = given.podStatus;
  for (const seconds of [0, 20, 40, 60]) {
    const { notAssessed = [] } = (await diagnoseAt(seconds))?.rollout ?? {};
    expect(notAssessed).toMatchObject(seconds < given.seconds ? [] : [{ what: "Pod", reason: given.reason }]);
  }
});

async function writesWhile(errorsAt: (seconds: number) => Readonly<Record<string, string>>) {
  const { cluster, diagnose, noteWritten } = doctorOf([]);
  let [stored, writes]: [Status, number] = [{ phase: "InProgress", rollouts, items: [], conditions: [] }, 0];
  for (let seconds = 0; seconds <= 300; seconds += 5) {
    cluster.seconds = seconds;
    cluster.errors = errorsAt(seconds);
    const observed = { stored, now: start + seconds * 1000, generation: 1, items: [] };
    const decision: Decision = { status: stored, requeue: { when: "on-change" } };
    const { status } = publishStatus(decision, observed, { rollout: await diagnose(stored) });
    if (equalJson(status, stored)) continue;
    stored = status;
    noteWritten(status.rollout);
    writes += 1;
  }
  return { writes, gaps: stored.rollout?.notAssessed?.map(({ what }) => what) };
}

test("an unreadable input costs one status write despite changing errors", async () => {
  const whole = await writesWhile(() => ({}));
  const forbidden = await writesWhile((seconds) => ({ VirtualMachineInstance: `403 in request ${seconds}` }));
  expect(forbidden).toEqual({ writes: whole.writes, gaps: ["VirtualMachineInstance"] });
  const failing = await writesWhile((seconds) => ({ KubeDescheduler: `503 after ${seconds} ms` }));
  expect(failing).toEqual({ writes: whole.writes + 1, gaps: ["KubeDescheduler"] });
});

const reportOf = (message: string): KubeObject => ({
  apiVersion: `${annotationPrefix}/v1`,
  kind: "MachineConfigNode",
  metadata: { name: "worker-0" },
  spec: { configVersion: { desired: "rendered-2" } },
  status: { conditions: [{ type: "Drained", status: "Unknown", message }] },
});

test("finds a drain error that is overwritten within the debounce", async () => {
  const trying = reportOf("Draining node. The drain will not be complete until b matches a");
  const { diagnose, diagnoseAt, notice } = doctorOf([trying]);
  notice(reportOf('Error: failed calling webhook "virt-launcher-eviction-interceptor.kubevirt.io": refused'));
  notice(trying);
  await diagnose();
  expect((await diagnoseAt(120))?.rollout.findings).toMatchObject([{ id: "EvictionWebhookDown" }]);
});

const metadata = { name: "db-0", namespace: "shop", labels: { app: "db" } };
const budget: KubeObject = {
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name: "db", namespace: "shop" },
  spec: { selector: { matchLabels: { app: "db" } } },
  status: { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1 },
};

test("finds a blocking budget or terminating pod without a drain error", async () => {
  const { cluster, diagnose, diagnoseAt, podsOn } = doctorOf([budget]);
  podsOn.set("worker-0", [{ metadata }]);
  await diagnose();
  cluster.seconds = 300;
  const since = "2026-01-02T00:00:00Z";
  expect((await diagnose())?.rollout.findings).toMatchObject([{ id: "PodBudget", since }]);
  podsOn.set("worker-0", [{ metadata: { ...metadata, deletionTimestamp: "2026-01-02T00:05:30Z" } }]);
  for (const seconds of [310, 909, 910]) {
    const ids = (await diagnoseAt(seconds))?.rollout.findings.map(({ id }) => id);
    expect(ids).toEqual(seconds === 910 ? ["PodTerminating"] : []);
  }
});

test("lists pods every 10 seconds while a node drains", async () => {
  const { diagnoseAt, sentAt } = doctorOf([]);
  for (const seconds of [0, 1, 9, 10, 15, 20]) {
    const nextSeconds = ((await diagnoseAt(seconds))?.nextMs ?? 0) / 1000 - start / 1000;
    expect(nextSeconds).toBe(Math.floor(seconds / 10) * 10 + 10);
  }
  expect(sentAt).toEqual([0, 10, 20]);
});

test("retries a failed pod list after 10 seconds", async () => {
  const { cluster, diagnoseAt } = doctorOf([]);
  cluster.podStatus = 500;
  expect((await diagnoseAt(20))?.nextMs).toBe(start + 30_000);
});

test("lists pods at most 20 times a minute", async () => {
  const { cluster, diagnoseAt, sentAt } = doctorOf([]);
  const nodes = Array.from({ length: 30 }, (_, at) => ({
    ...draining,
    metadata: { ...draining.metadata, name: `n-${at}` },
  }));
  cluster.objects = [...nodes, pool];
  for (const seconds of [0, 30, 59, 60, 61, 119, 120]) {
    await diagnoseAt(seconds);
  }
  const counts = [...Map.groupBy(sentAt, (seconds) => seconds)].map(([seconds, { length }]) => [seconds, length]);
  expect(counts).toEqual([
    [0, 20],
    [60, 20],
    [120, 20],
  ]);
});

test("writes the first status immediately and the next after 10 seconds", async () => {
  const { cluster, diagnose, noteWritten } = doctorOf([]);
  const first = await diagnose();
  expect(first?.dueMs).toBe(0);
  noteWritten(first?.rollout);
  cluster.seconds = 1;
  cluster.objects = [{ ...draining, spec: {} }, nodeObject("worker-1"), pool];
  expect((await diagnose({ ...(first && { rollout: first.rollout }) }))?.dueMs).toBe(start + 10_000);
  const shown = await diagnose();
  expect((await diagnose({ ...(shown && { rollout: shown.rollout }) }))?.dueMs).toBe(0);
});

test("wakes configs once a second during constant changes", async () => {
  const clock = new VirtualClock();
  let woken = 0;
  const doctor = new RolloutDoctor({
    find: () => undefined,
    observedRollouts: () => [],
    hco: () => undefined,
    clock,
    areVmsNamed: true,
    wake: () => {
      woken += 1;
    },
  });
  for (let step = 0; step < 300; step += 1) {
    doctor.noticeChange(machineConfigNodeInformer, { key: "worker-0", after: draining });
    await clock.advance(200);
  }
  expect(woken).toBe(60);
});

const steadyChanges = [
  { others: "nothing else changes", isNoisy: false },
  { others: "the status is written for another reason each time", isNoisy: true },
];

test.each(steadyChanges)("the stored rollout is at most 10 seconds old while $others", async ({ isNoisy }) => {
  const { cluster, diagnose, noteWritten } = doctorOf([]);
  let stored: Status = { phase: "InProgress", rollouts, items: [] };
  let [publishedMs, writes, oldestMs] = [0, 0, 0];
  for (let step = 0; step <= 300; step += 1) {
    cluster.seconds = step / 5;
    cluster.objects = [draining, nodeObject("worker-1", { isCordoned: step % 2 === 0 }), pool];
    const now = start + cluster.seconds * 1000;
    const message = isNoisy ? `step ${step}` : "";
    const decided: Status = { ...stored, conditions: [], ...(isNoisy && { specHash: message }) };
    const decision: Decision = { status: decided, requeue: { when: "on-change" } };
    const diagnosed = await diagnose(stored);
    const { status } = publishStatus(decision, { stored, now, generation: 1, items: [] }, { rollout: diagnosed });
    if (!equalJson(status, stored)) {
      stored = status;
      noteWritten(status.rollout);
      if (!isNoisy) writes += 1;
    }
    if (equalJson(stored.rollout ?? null, diagnosed?.rollout ?? null)) publishedMs = now - start;
    oldestMs = Math.max(oldestMs, now - start - publishedMs);
  }
  expect(oldestMs).toBeLessThanOrEqual(10_000);
  expect(writes).toBeLessThanOrEqual(7);
});

const reporting = (apiVersion: string, kind: string, condition: JsonMap, more: JsonMap = {}): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name: "cluster", namespace: "openshift-cnv" },
  ...more,
  status: { conditions: [condition] },
});
const degraded = { type: "Degraded", status: "True", reason: "NoNodes", message: "no nodes" };
const refused = { type: "Failure", status: "False", message: "no such field" };

test.each([
  [
    "KubeletConfigFailed",
    "KubeletConfig cluster was rejected: no such field",
    reporting(`${annotationPrefix}/v1`, "KubeletConfig", refused, {
      spec: { machineConfigPoolSelector: { matchLabels: { pool: "worker" } } },
    }),
  ],
  [
    "VirtDegraded",
    "HyperConverged reports NoNodes: no nodes",
    reporting("hco.kubevirt.io/v1", "HyperConverged", degraded),
  ],
  ["VirtDegraded", "KubeVirt reports NoNodes: no nodes", reporting("kubevirt.io/v1", "KubeVirt", degraded)],
  [
    "DeschedulerDegraded",
    "KubeDescheduler reports NoNodes: no nodes",
    reporting("operator.openshift.io/v1", "KubeDescheduler", degraded),
  ],
])("reports %s: %s", async (id, message, object) => {
  const { cluster, diagnose, diagnoseAt } = doctorOf([object]);
  await diagnose();
  expect((await diagnoseAt(300))?.rollout.findings).toMatchObject([{ id, message }]);
  cluster.objects = cluster.objects.filter(({ kind }) => kind !== object.kind);
  expect((await diagnose())?.rollout.findings).toEqual([]);
});
