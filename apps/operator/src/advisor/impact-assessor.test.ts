import type { Impact, KubeObject, PoolDisruption, Ref } from "@virt/api";
import { nodeObject, poolObject, vmObject } from "@virt/impact/testing/cluster-builder";
import type { InformerSpec, InformerState, ReadResult, ReconcileContext } from "@virt/kube";
import { VirtualClock } from "@virt/testkit";
import { expect, test } from "vitest";
import type { ReadCache } from "../read-cache.ts";
import { ImpactAssessor } from "./impact-assessor.ts";
import type { AdvisorRuntime } from "./runtime.ts";
import { configWith } from "./testing/config-with.ts";

const disruption = [{ pool: "worker", class: "Reboot" }] as const;
const config = configWith({ phase: "ReviewRequired", planHash: "a", disruption });
const unavailable = { kind: "unavailable", message: "503" } as unknown as ReadResult;
const forbidden = { kind: "rejected", reason: "Forbidden", message: "403" } as unknown as ReadResult;
const infrastructure = (topology: string): ReadResult => ({
  kind: "found",
  object: {
    apiVersion: "config.openshift.io/v1",
    kind: "Infrastructure",
    metadata: { name: "cluster" },
    status: { controlPlaneTopology: topology },
  },
});
const owner = (runStrategy: string): ReadResult => ({
  kind: "found",
  object: { apiVersion: "kubevirt.io/v1", kind: "VirtualMachine", metadata: { name: "a" }, spec: { runStrategy } },
});
const kubeVirt: KubeObject = { apiVersion: "kubevirt.io/v1", kind: "KubeVirt", metadata: { name: "kubevirt" } };

function assessorOf(vms: readonly KubeObject[] = []) {
  const clock = new VirtualClock();
  const server = {
    answers: { Infrastructure: infrastructure("HighlyAvailable"), VirtualMachine: owner("Always") } as Record<
      string,
      ReadResult
    >,
    podStatus: 200,
    errors: {} as Record<string, string>,
    asked: [] as string[],
    woken: 0,
    disruption: undefined as readonly PoolDisruption[] | undefined,
  };
  const nodes = [0, 1, 2].map((at) => nodeObject(`worker-${at}`));
  const objects = [poolObject("worker"), ...nodes, kubeVirt, ...vms];
  const find = ({ apiVersion, kind }: InformerSpec) => {
    const items = objects.filter((object) => object.kind === kind && object.apiVersion === apiVersion);
    const lastError = server.errors[kind];
    return {
      state: "synced",
      lastError,
      isTooLarge: false,
      store: { notifiedItems: items },
    } as unknown as InformerState;
  };
  const assessor = new ImpactAssessor({
    find,
    pools: () => [poolObject("worker")],
    hco: () => undefined,
    disruption: () => server.disruption,
    clock,
    remembered: { renderedNow: () => undefined, rendered: () => Promise.resolve(undefined) } as unknown as ReadCache,
    hidesVmNames: false,
    wake: () => {
      server.woken += 1;
    },
  });
  const resource = { group: "", version: "v1", plural: "pods", isNamespaced: true };
  const send = () => {
    server.asked.push("Pod");
    const body =
      server.podStatus === 200 ? { items: [], metadata: {} } : { kind: "Status", reason: "Forbidden", message: "" };
    return Promise.resolve({ kind: "answered", status: server.podStatus, body, text: "" });
  };
  const context = {
    cluster: {
      read: ({ kind }: Ref) => {
        server.asked.push(kind);
        return Promise.resolve(server.answers[kind]);
      },
    },
    discovery: { find: () => Promise.resolve({ kind: "served", resource }) },
    sender: { send },
    signal: new AbortController().signal,
  } as unknown as ReconcileContext & Pick<AdvisorRuntime, "discovery">;
  const assess = (isUrgent = false) => assessor.assess(config, context, isUrgent);
  const later = async (seconds: number) => {
    await clock.advance(seconds * 1000);
    assessor.noticeList();
    return assess();
  };
  const askedFor = (kind: string) => server.asked.filter((each) => each === kind).length;
  return { clock, server, objects, assessor, assess, later, askedFor };
}

const gapsOf = (impact: Impact | undefined) => impact?.notAssessed.map(({ what, reason }) => `${what} ${reason}`);
const stopping = (count: number) =>
  Array.from({ length: count }, (_, at) => vmObject(`vm-${at}`, "worker-0", { strategy: "None" }));

test("retries an unreadable Infrastructure until it is known", async () => {
  const { server, assess, later, askedFor } = assessorOf();
  server.answers["Infrastructure"] = unavailable;
  expect(await assess()).toBeUndefined();
  server.answers["Infrastructure"] = infrastructure("SingleReplica");
  expect(gapsOf(await later(5))).toEqual([]);
  expect(askedFor("Infrastructure")).toBe(2);
  await later(1000);
  expect(askedFor("Infrastructure")).toBe(2);
});

test("retries a forbidden Infrastructure after 5 minutes, but not a missing one", async () => {
  const { server, assess, later, askedFor } = assessorOf();
  server.answers["Infrastructure"] = forbidden;
  expect(gapsOf(await assess())).toEqual(["infrastructure Forbidden"]);
  await later(290);
  expect(askedFor("Infrastructure")).toBe(1);
  server.answers["Infrastructure"] = { kind: "absent" };
  expect(gapsOf(await later(10))).toEqual(["infrastructure NotServed"]);
  await later(1000);
  expect(askedFor("Infrastructure")).toBe(2);
});

test("the first assessment reads the owners of all VMs", async () => {
  const { assess, askedFor } = assessorOf(stopping(120));
  const impact = await assess();
  expect(impact?.vms).toMatchObject({ restart: 120, stop: 0 });
  expect(gapsOf(impact)).toEqual([]);
  expect(askedFor("VirtualMachine")).toBe(120);
});

test("reports unread VM owners as a gap, not as stopping VMs", async () => {
  const { clock, server, assess, later } = assessorOf(stopping(3));
  server.answers["VirtualMachine"] = unavailable;
  expect(await assess()).toBeUndefined();
  await clock.advance(5_000);
  expect(await assess()).toBeUndefined();
  expect(gapsOf(await later(5))).toEqual(["VM owners Listing"]);
  expect(gapsOf(await later(50))).toEqual(["VM owners Unavailable"]);
  server.answers["VirtualMachine"] = owner("Always");
  await clock.advance(60_000);
  expect(server.woken).toBeGreaterThan(0);
  expect(await assess()).toMatchObject({ vms: { restart: 3 }, notAssessed: [] });
});

test("a forbidden pod list delays no owner and is retried after 5 minutes", async () => {
  const { server, objects, assess, later } = assessorOf(stopping(1));
  server.podStatus = 403;
  expect(gapsOf(await assess())).toEqual(["pods Forbidden"]);
  const { length } = server.asked;
  objects.push(...stopping(2).slice(1));
  expect((await later(10))?.vms).toMatchObject({ restart: 2, stop: 0 });
  expect(server.asked.slice(length)).toEqual(["VirtualMachine"]);
  server.podStatus = 200;
  expect(gapsOf(await later(290))).toEqual([]);
});

test("reports a failing watch only after a minute", async () => {
  const { clock, server, assess, later } = assessorOf([vmObject("a", "worker-0")]);
  const before = await assess();
  server.errors["VirtualMachineInstance"] = "429 Too Many Requests";
  const after = await later(5);
  expect({ ...after, assessedAt: "" }).toEqual({ ...before, assessedAt: "" });
  const { woken } = server;
  await clock.advance(60_000);
  expect(server.woken).toBe(woken + 1);
  expect(gapsOf(await assess())).toEqual(["VMs Unavailable"]);
});

test("renews the time of a valid assessment without a request", async () => {
  const { clock, server, assess } = assessorOf([vmObject("a", "worker-0")]);
  const before = await assess();
  const { length } = server.asked;
  await clock.advance(120_000);
  const after = await assess();
  expect(after?.assessedAt).not.toBe(before?.assessedAt);
  expect({ ...after, assessedAt: "" }).toEqual({ ...before, assessedAt: "" });
  expect(server.asked.length).toBe(length);
});

test("assesses pools that the status omits", async () => {
  const { server, objects, assess } = assessorOf();
  objects.push(poolObject("infra"), nodeObject("infra-0", { roles: ["worker", "infra"] }));
  expect((await assess())?.nodes).toBe(3);
  server.disruption = ["infra", "worker"].map((pool) => ({ pool, class: "Reboot" }));
  expect((await assess(true))?.nodes).toBe(4);
});

test("an urgent assessment ignores a recent result", async () => {
  const { objects, assessor, assess } = assessorOf([vmObject("a", "worker-0")]);
  expect((await assess())?.vms?.migrate).toBe(1);
  objects.push(vmObject("b", "worker-0"));
  assessor.noticeChange();
  expect((await assess())?.vms?.migrate).toBe(1);
  expect((await assess(true))?.vms?.migrate).toBe(2);
});

test("wakes configs until a change after an assessment is assessed", async () => {
  const { clock, server, objects, assessor, assess } = assessorOf([vmObject("a", "worker-0")]);
  assessor.noticeChange();
  await clock.advance(2_000);
  await assess();
  objects.push(vmObject("b", "worker-0"));
  assessor.noticeChange();
  await clock.advance(3_000);
  expect([server.woken, (await assess())?.vms?.migrate]).toEqual([1, 1]);
  await clock.advance(5_000);
  expect([server.woken, (await assess())?.vms?.migrate]).toEqual([2, 2]);
});

test("predicts with restart times that another config observed", async () => {
  const { objects, assess, later } = assessorOf();
  expect((await assess())?.duration?.restart).toBe("default");
  const counts = { total: 3, done: 3, inHand: 0, waiting: 0, degraded: 0 };
  const observed = { drainSeconds: [], restartSeconds: [100, 110, 120] };
  const status = { rollout: { pools: [{ name: "worker", ...counts, observed }] } };
  objects.push({ ...config, metadata: { name: "other" }, status });
  expect((await later(10))?.duration?.restart).toBe("observed");
});
