// @module-tag thorough

import { readFileSync } from "node:fs";
import type { KubeObject } from "@virt/api";
import { asText, at } from "@virt/objects";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { applyManifests } from "../support/account.ts";
import { startPlatformCluster } from "../support/platform-cluster.ts";
import type { RunningProgram } from "../support/program.ts";
import { objectPaths } from "../support/running-platform.ts";
import type { TestCluster } from "../support/test-cluster.ts";

const { check, report } = objectPaths;
const templates = "/apis/self-node-remediation.medik8s.io/v1alpha1/namespaces/other/selfnoderemediationtemplates";
const kubelets = "/apis/machineconfiguration.openshift.io/v1/kubeletconfigs";
/** The image's Node flags with an eighth of the Deployment's memory, so that fewer templates are enough. */
const nodeFlags = ["--max-old-space-size=64", "--max-semi-space-size=2", "--optimize-for-size", "--single-threaded"];
const limitMb = 256;
let testCluster: TestCluster;
let operator: RunningProgram;

/** 833 KiB, the maximum that the API server accepts with managedFields. No two objects share a key. */
const hugeLabels = (name: string) =>
  Object.fromEntries(
    Array.from({ length: 2_620 }, (_, at) => [
      `${at}.${name}.${"a".repeat(63)}.${"b".repeat(63)}.${"c".repeat(63)}/d`,
      `${at}${"e".repeat(58)}`,
    ]),
  );

async function create(path: string, body: object): Promise<void> {
  const answer = await testCluster.server.request({ method: "POST", path, body });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body).slice(0, 500));
}

async function plant(count: number, one: (name: string) => Promise<void>): Promise<void> {
  const names = Array.from({ length: count }, (_, at) => `planted-${at}`);
  const lanes = Array.from({ length: 4 }, (_, lane) => names.filter((_, at) => at % 4 === lane));
  await Promise.all(
    lanes.map(async (lane) => {
      for (const name of lane) await one(name);
    }),
  );
}

const read = async (path: string) => (await testCluster.server.request({ path })).body as KubeObject;
const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 120_000, interval: 100 });
const reported = async () => asText(at(await read(report), "data", "report.json")) ?? "";

/** Uses a new field manager each time, to avoid an edit war. */
let edits = 0;
async function driftIsCorrected(): Promise<void> {
  const path = `${check}?fieldManager=somebody-${edits++}`;
  const { status } = await testCluster.server.request({ method: "PATCH", path, body: { spec: { minHealthy: "10%" } } });
  expect(status).toBe(200);
  await until(async () => expect(at(await read(check), "spec", "minHealthy")).toBe("51%"));
}

function peakMb(): number {
  const status = readFileSync(`/proc/${operator.pid}/status`, "utf8");
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

beforeAll(async () => {
  testCluster = await startPlatformCluster();
  await testCluster.simulate("no-vms");
  await applyManifests(testCluster.server, "apiVersion: v1\nkind: Namespace\nmetadata: {name: other}\n");
});
afterAll(() => testCluster[Symbol.asyncDispose]());

test("survives dozens of huge templates and still corrects drift", {
  timeout: 480_000,
}, async () => {
  const spec = { template: { spec: {} } };
  const template = {
    apiVersion: "self-node-remediation.medik8s.io/v1alpha1",
    kind: "SelfNodeRemediationTemplate",
    spec,
  };
  await plant(60, (name) => create(templates, { ...template, metadata: { name, labels: hugeLabels(name) } }));
  operator = await testCluster.startOperator({ flags: ["--activation=always"], nodeFlags });
  await until(async () => {
    expect([operator.child.exitCode, operator.child.signalCode, operator.words()]).toEqual([null, null, ""]);
    expect(at(await read(check), "spec", "minHealthy")).toBe("51%");
  });
  await driftIsCorrected();
  expect(peakMb()).toBeLessThan(limitMb);
});

test("reports a kind that is too large as unavailable until it shrinks", {
  timeout: 480_000,
}, async () => {
  const kubelet = { apiVersion: "machineconfiguration.openshift.io/v1", kind: "KubeletConfig" };
  const isTooLarge = async () => (await reported()).includes("too large: KubeletConfig objects take");
  await until(async () => expect((await read(`${kubelets}/virt-perf-settings`)).kind).toBe("KubeletConfig"));
  await plant(24, (name) =>
    create(kubelets, {
      ...kubelet,
      metadata: { name },
      spec: { machineConfigPoolSelector: { matchLabels: hugeLabels(name) } },
    }),
  );
  await until(async () => expect(await isTooLarge()).toBe(true));
  await driftIsCorrected();
  expect((await read(`${kubelets}/virt-perf-settings`)).kind).toBe("KubeletConfig");
  await plant(24, async (name) => {
    await testCluster.server.request({ method: "DELETE", path: `${kubelets}/${name}` });
  });
  await until(async () => expect(await isTooLarge()).toBe(false));
  expect([operator.child.exitCode, operator.words()]).toEqual([null, ""]);
  expect(peakMb()).toBeLessThan(limitMb);
});
