import { objectAnnotations } from "@virt/platform";
import type { Crd } from "@virt/testkit";
import { expect, test } from "vitest";
import { hcoPath } from "../support/platform-cluster.ts";
import { objectPaths, sharePlatform } from "../support/running-platform.ts";
import { mockCrd } from "../support/test-cluster.ts";

const platform = sharePlatform();

const { check, kubelet, metallb, plugin } = objectPaths;
const say = (key: string, text: string | null) => platform.annotate(hcoPath, { [key]: text });
const until = (check: () => Promise<void>) => platform.until(check);
const expectShown = (metric: string, parts: readonly string[], value: number) =>
  until(async () =>
    expect(await platform.outputs.series(`${metric}{`, ...parts)).toEqual([expect.stringMatching(` ${value}$`)]),
  );
const expectGone = (...parts: readonly string[]) =>
  until(async () => expect(await platform.outputs.series(...parts)).toEqual([]));
const nhc = ['kind="NodeHealthCheck"'];

/** Returns the gauges of the current state, without durations and counters. */
async function gauges(): Promise<readonly string[]> {
  const current =
    /_(compliance_status|paused_resources|customization_info|invalid_override|contested_fields|excluded_assets|missing_dependency|active)\{/;
  return (await platform.outputs.series()).filter((line) => current.test(line)).toSorted();
}

async function crdNamed(name: string): Promise<Crd> {
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;
  return (await platform.testCluster.server.request({ path })).body as Crd;
}

test("metrics show each override while it is in force", async () => {
  await expectShown("active", ['activation="always"'], 1);
  const patch = JSON.stringify([{ op: "replace", path: "/spec/minHealthy", value: "60%" }]);
  await platform.annotate(check, { patch });
  await expectShown("customization_info", [...nhc, 'type="patch"'], 1);
  await platform.annotate(check, { "ignore-fields": "/spec/stormCooldownDuration" });
  await expectShown("customization_info", [...nhc, 'type="ignore"'], 1);
  await platform.annotate(plugin, { mode: "unmanaged" });
  await expectShown("customization_info", ['kind="UIPlugin"', 'type="unmanaged"'], 1);
  await expectGone('compliance_status{kind="UIPlugin",name="monitoring"');
  await platform.annotate(check, { patch: "[{" });
  await expectShown("invalid_override", [...nhc, 'type="patch"'], 1);
  await expectShown("compliance_status", nhc, 1); // the object was in sync, and nothing changes it
  await expectShown("customization_info", nhc, 1);
  await platform.annotate(check, { patch: null });
  await expectGone("invalid_override{");
});

test("metrics show one reason per excluded asset, and a returning CRD is reported", async () => {
  const { server } = platform.testCluster;
  const asset = ['asset="mtv-operator"'];
  await server.removeCrd(await crdNamed("forkliftcontrollers.forklift.konveyor.io"));
  await expectShown("excluded_assets", [...asset, 'reason="CRDMissing"'], 1);
  await say("enable-mtv", "false");
  await expectShown("excluded_assets", [...asset, 'reason="SwitchedOff"'], 1);
  expect(await platform.outputs.series("excluded_assets{", ...asset)).toHaveLength(1);
  await say("enable-mtv", null);
  await expectShown("excluded_assets", [...asset, 'reason="CRDMissing"'], 1);
  expect(platform.reports("CRDDiscovered")).toEqual([]);
  await server.installCrds([mockCrd("forkliftcontrollers")]);
  await expectGone("excluded_assets{", ...asset);
  await expectShown("compliance_status", ['kind="ForkliftController"'], 1);
  const found = "CRD forkliftcontrollers.forklift.konveyor.io discovered, mtv-operator assets can now be reconciled";
  await expect.poll(() => platform.reports("CRDDiscovered")).toEqual([found]);
});

test("metrics show a missing kind once, with its name and version", async () => {
  const { server } = platform.testCluster;
  const crd = await crdNamed("kubedeschedulers.operator.openshift.io");
  const labels = 'group="operator.openshift.io",version="v1",kind="KubeDescheduler"';
  await expectShown("missing_dependency", ['group="operator.openshift.io"'], 0);
  await server.removeCrd(crd);
  await until(async () =>
    expect(await platform.outputs.series("missing_dependency{", 'group="operator.openshift.io"')).toEqual([
      `kubevirt_platform_missing_dependency{${labels}} 1`,
    ]),
  );
  const note =
    "CRD kubedeschedulers.operator.openshift.io is not installed. The descheduler-loadaware assets are skipped until it is. Next: install its operator, or disable the feature";
  await until(async () => expect(platform.operator.log.filter(({ msg }) => msg === note)).toHaveLength(1));
  const { metadata, spec, ...rest } = crd;
  await server.installCrds([{ ...rest, metadata: { name: metadata.name }, spec }]);
  await expectShown("missing_dependency", ['kind="KubeDescheduler"'], 0);
  await expectShown("compliance_status", ['kind="KubeDescheduler"'], 1);
});

test("metrics show and count an edit war", { timeout: 300_000, tags: ["thorough"] }, async () => {
  const insist = () =>
    platform.edit(metallb, { metadata: { labels: { "platform.kubevirt.io/managed-by": "me" } } }, "me");
  await platform.untilLong(async () => {
    const { metadata } = await platform.read(metallb);
    if (metadata.labels?.["platform.kubevirt.io/managed-by"] !== "me") await insist();
    expect(metadata.annotations?.[objectAnnotations.paused]).toBe("true");
  });
  await expectShown("paused_resources", ['kind="MetalLB"', 'reason="edit-war"'], 1);
  await expectShown("thrashing_total", ['kind="MetalLB"'], 1);
});

test("gauges are the same after a restart", async () => {
  const before = await gauges();
  expect(before.length).toBeGreaterThan(platform.targets.length);
  await platform.restart();
  await until(async () => expect(await gauges()).toEqual(before));
});

async function untilIdle(reason: string): Promise<void> {
  await expectShown("active", ['activation="always"'], 0);
  await expectGone("namespace="); // series of an object have a namespace label, which can be empty
  await expectGone("missing_dependency{");
  await until(async () => {
    const excluded = await platform.outputs.series("excluded_assets{");
    expect(excluded.filter((line) => !line.includes(`reason="${reason}"`))).toEqual([]);
    expect(excluded.length).toBeGreaterThan(0);
  });
  await platform.untilLong(async () =>
    expect(await platform.outputs.report()).toMatchObject({ activation: { isActive: false } }),
  );
}

test("a disabled operator writes nothing and reports that it is disabled", async () => {
  await say("virt-platform-operator", "false");
  await untilIdle("NotActivated");
  const idle = platform.operator.log.filter(({ msg }) => msg?.startsWith("The platform controller is disabled: "));
  expect(idle).toHaveLength(1);
  expect(idle[0]?.msg).toContain(
    'annotation platform.kubevirt.io/virt-platform-operator is "false" on HyperConverged openshift-cnv/',
  );
  expect(idle[0]?.msg).toContain(
    "kubectl annotate hyperconverged kubevirt-hyperconverged -n openshift-cnv --overwrite",
  );
  const before = platform.requests(kubelet).length;
  await platform.edit(kubelet, { spec: { kubeletConfig: { maxPods: 7 } } });
  await say("virt-platform-operator", "no-such-asset"); // the event shows that everything earlier was handled
  await until(async () => expect(platform.operator.log.map(({ reason }) => reason)).toContain("UnknownAssetName"));
  expect(platform.requests(kubelet)).toHaveLength(before);
  expect(await platform.specOf(kubelet, "kubeletConfig", "maxPods")).toBe(7);
  await say("virt-platform-operator", "true");
  await expectShown("compliance_status", ['kind="KubeletConfig"'], 1);
  await expect.poll(() => platform.requests(kubelet).length).toBe(before + 2); // the audit log can be late
});

test("metrics show no objects without a HyperConverged, also after a restart", async () => {
  const path = hcoPath;
  const { apiVersion, kind, metadata } = await platform.read(path);
  await platform.testCluster.server.request({ method: "DELETE", path });
  await untilIdle("HCOMissing");
  await platform.untilLong(async () =>
    expect(await platform.outputs.report()).toMatchObject({ hco: null, objects: [] }),
  );
  await platform.restart();
  await untilIdle("HCOMissing");
  const { name, annotations = {} } = metadata;
  const own = Object.entries(annotations).filter(([key]) => key !== objectAnnotations.state);
  const body = { apiVersion, kind, metadata: { name, annotations: Object.fromEntries(own) }, spec: {} };
  await platform.testCluster.server.request({ method: "POST", path: path.slice(0, path.lastIndexOf("/")), body });
  await expectShown("active", ['activation="always"'], 1);
  await expectShown("compliance_status", nhc, 1);
});
