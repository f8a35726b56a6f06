// Follows explain's advice on a real API server until the controller applies the asset.
// @module-tag thorough

import type { KubeObject } from "@virt/api";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { hcoPath } from "../support/platform-cluster.ts";
import { mockCrd, startTestCluster, type TestCluster } from "../support/test-cluster.ts";
import { type AdviceStep, explainAsset, followAdvice } from "./follow-advice.ts";

const prefix = "platform.kubevirt.io/";
const label = `${prefix}managed-by`;
const metallb = "/apis/metallb.io/v1beta1/namespaces/metallb-system/metallbs/metallb";
const others = "/apis/metallb.io/v1beta1/namespaces/default/metallbs";
let testCluster: TestCluster;

beforeAll(async () => {
  testCluster = await startTestCluster({ controller: "platform" });
  await testCluster.simulate("no-vms");
  await testCluster.startOperator({ flags: ["--activation=opt-in"] });
});
afterAll(() => testCluster[Symbol.asyncDispose]());

type Values = Readonly<Record<string, string | null>>;

const edit = async (path: string, metadata: { readonly annotations?: Values; readonly labels?: Values }) =>
  expect((await testCluster.server.request({ method: "PATCH", path, body: { metadata } })).status).toBe(200);
const annotate = (path: string, annotations: Values) => edit(path, { annotations });
const removeMetalLb = (namespace: string, name: string) =>
  testCluster.server.kubectl("delete", "metallb", name, "-n", namespace);
const follow = () => followAdvice(() => explainAsset("metallb-operator", testCluster.server.kubeconfig), steps);

async function untilApplied(earlier = ""): Promise<string> {
  return vi.waitFor(
    async () => {
      const { metadata } = (await testCluster.server.request({ path: metallb })).body as Partial<KubeObject>;
      expect(metadata?.labels).toMatchObject({ [label]: "virt-platform-operator" });
      expect(metadata?.uid).not.toBe(earlier);
      return metadata?.uid ?? "";
    },
    { timeout: 120_000, interval: 50 },
  );
}

async function installMetalLb(): Promise<void> {
  const body = { apiVersion: "metallb.io/v1beta1", kind: "MetalLB", metadata: { name: "theirs" }, spec: {} };
  await testCluster.server.installCrds([mockCrd("metallbs")]);
  expect((await testCluster.server.request({ method: "POST", path: others, body })).status).toBe(201);
}

const steps: readonly AdviceStep[] = [
  [
    /^set annotation (\S+?)=(\S+) on the HyperConverged/u,
    (key = "", value = "") => annotate(hcoPath, { [key]: value }),
  ],
  [
    /^add (\S+) to annotation (\S+) on the HyperConverged/u,
    (name = "", key = "") => annotate(hcoPath, { [key]: name }),
  ],
  [/^set annotation (\S+?)=(true|false)$/u, (key = "", value = "") => annotate(hcoPath, { [key]: value })],
  [
    /^remove rule .* of annotation (\S+) on the HyperConverged$/u,
    (key) => annotate(hcoPath, { [`${prefix}${key}`]: null }),
  ],
  [
    /^correct the annotation on the HyperConverged: annotation (?:platform\.kubevirt\.io\/)?(\S+) /u,
    (key) => annotate(hcoPath, { [`${prefix}${key}`]: null }),
  ],
  [/^install the operator that provides metallbs\./u, installMetalLb],
  [/^create namespace (\S+);/u, (name = "") => testCluster.server.kubectl("create", "namespace", name)],
  [/^delete MetalLB (\S+)\/(\S+) /u, (namespace = "", name = "") => removeMetalLb(namespace, name)],
  [/remove annotation (\S+) (?:from|of) MetalLB/u, (key = "") => annotate(metallb, { [key]: null })],
  [/remove annotation (\S+) from it$/u, (key = "") => annotate(metallb, { [key]: null })],
];

test("following explain's advice step by step applies the asset", async () => {
  await annotate(hcoPath, {
    [`${prefix}enable-metallb`]: "false",
    [`${prefix}disabled-resources`]: "[{kind: MetalLB, name: '*'}]",
  });
  expect(await follow()).toEqual([
    "NotActivated",
    "SwitchedOff",
    "RootExclusion",
    "CRDMissing",
    "NamespaceMissing",
    "AlreadyProvided",
  ]);
  await untilApplied();
});

test("following explain's advice applies an unlisted asset", async () => {
  await annotate(hcoPath, { [`${prefix}virt-platform-operator`]: "node-health-check" });
  expect(await follow()).toEqual(["NotListed"]);
  await edit(metallb, { labels: { [label]: null } });
  await untilApplied();
});

test.each([
  ["Unmanaged", "mode", "unmanaged"],
  ["Paused", "reconcile-paused", "true"],
  ["InvalidPatch", "patch", "no patch"],
  ["InvalidIgnoreFields", "ignore-fields", "no pointer"],
  ["InvalidMode", "mode", "unmanagd"],
])("following explain's advice resolves %s on an object", async (reason, key, value) => {
  // Re-creates the object, because five corrections of the same one would be an edit war.
  const earlier = await untilApplied();
  await removeMetalLb("metallb-system", "metallb");
  await untilApplied(earlier);
  await edit(metallb, { annotations: { [`${prefix}${key}`]: value }, labels: { [label]: null } });
  expect(await follow()).toEqual([reason]);
  await untilApplied();
});

test.each([
  ["InvalidConfiguration", "enable-metallb", "maybe"],
  ["InvalidExclusions", "disabled-resources", "["],
])("following explain's advice resolves %s on the HyperConverged", async (reason, key, value) => {
  await untilApplied();
  await annotate(hcoPath, { [`${prefix}${key}`]: value });
  expect(await follow()).toEqual([reason]);
  await edit(metallb, { labels: { [label]: null } });
  await untilApplied();
});
