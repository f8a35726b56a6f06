// All surfaces of the shipped programs name the same manager for every object, while virt-platform-autopilot takes over
// two objects. manager-law.test.ts covers many more clusters without a server.

import type { JsonMap, KubeObject } from "@virt/api";
import { asList, asText, at } from "@virt/objects";
import { expect, test } from "vitest";
import { readReport } from "../../apps/console/src/pages/data/report.ts";
import { runPlugin } from "../support/plugin.ts";
import { objectPaths, sharePlatform } from "../support/running-platform.ts";

const platform = sharePlatform();
const theirs = "virt-platform-autopilot";
const { plugin, metallb } = objectPaths;
const labels = { app: theirs };
const deployment: KubeObject = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: theirs, namespace: "openshift-cnv" },
  spec: {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "manager", image: "example.test/a" }] } },
  },
};

async function takeOver(path: string): Promise<void> {
  const { apiVersion, kind, metadata, spec } = (await platform.read(path)) as KubeObject & { readonly spec: JsonMap };
  const { name, namespace } = metadata;
  const marks = { name, labels: { "platform.kubevirt.io/managed-by": theirs } };
  const { status } = await platform.testCluster.server.request({
    method: "PATCH",
    path: `${path}?fieldManager=${theirs}&force=true`,
    contentType: "application/apply-patch+yaml",
    body: { apiVersion, kind, metadata: { ...marks, ...(namespace !== undefined && { namespace }) }, spec },
  });
  expect(status).toBe(200);
}

type ManagedObject = { readonly object: string; readonly managedBy: string };
const rowsOf = (report: JsonMap) => asList(report["objects"]) as unknown as readonly ManagedObject[];
const managers = async () => new Map(rowsOf(await platform.outputs.report()).map((row) => [row.object, row.managedBy]));

async function printed(...args: readonly string[]): Promise<JsonMap> {
  const { code, out, err } = await runPlugin([...args, "-o", "json"], platform.testCluster.server);
  expect({ code, err }).toMatchObject({ code: 0 });
  return JSON.parse(out) as JsonMap;
}

test("report, assets, explain, render, metrics and the console name the same manager", async () => {
  const { server } = platform.testCluster;
  const deployments = "/apis/apps/v1/namespaces/openshift-cnv/deployments";
  expect(await server.request({ method: "POST", path: deployments, body: deployment })).toMatchObject({ status: 201 });
  for (const path of [plugin, metallb]) await takeOver(path); // oxlint-disable-line no-await-in-loop -- one at a time
  await platform.annotate(objectPaths.check, { mode: "unmanaged" });
  await platform.until(async () => {
    const reported = await managers();
    expect(reported.get("UIPlugin monitoring")).toBe(theirs);
    expect(reported.get("MetalLB metallb-system/metallb")).toBe(theirs);
    expect(reported.get("NodeHealthCheck virt-node-health-check")).toBe("none");
  });
  const reported = await managers();
  expect(new Set(reported.values())).toContain("virt-platform-operator");

  const assets = asList((await printed("assets"))["items"]);
  expect(assets.length).toBeGreaterThan(10);
  for (const row of assets) expect(at(row, "managedBy")).toBe(reported.get(asText(at(row, "object")) ?? ""));

  const rendered = asList((await printed("render"))["items"]);
  const objectOf = new Map(
    assets.flatMap((row) =>
      asList(at(row, "assets")).map((name) => [asText(name) ?? "", asText(at(row, "object")) ?? ""]),
    ),
  );
  for (const entry of rendered) {
    const [asset = ""] = (asText(at(entry, "asset")) ?? "").split(",");
    expect([asset, at(entry, "managedBy")]).toEqual([asset, reported.get(objectOf.get(asset) ?? "")]);
  }

  for (const asset of ["observability-operator", "metallb-operator", "node-health-check", "hco-golden-config"]) {
    const explained = await printed("explain", asset); // oxlint-disable-line no-await-in-loop -- a few programs at once
    expect([asset, explained["managedBy"]]).toEqual([asset, reported.get(objectOf.get(asset) ?? "")]);
    const isTheirs = explained["managedBy"] === theirs;
    expect(at(explained, "autopilot", "evidence", "manager")).toBe(isTheirs ? theirs : undefined);
    expect(asText(at(explained, "autopilot", "handOver")) !== undefined).toBe(isTheirs);
  }

  const report = await platform.read(objectPaths.report);
  for (const { object, managedBy } of readReport(report)?.rows ?? []) expect(managedBy).toBe(reported.get(object));

  const yielded = await platform.outputs.series("yielded_objects{");
  expect(yielded.map((line) => line.replace("kubevirt_platform_", "")).toSorted()).toEqual([
    `yielded_objects{kind="MetalLB",name="metallb",namespace="metallb-system",to="${theirs}"} 1`,
    `yielded_objects{kind="UIPlugin",name="monitoring",namespace="",to="${theirs}"} 1`,
  ]);
  expect(await platform.outputs.series("autopilot_state{")).toEqual([
    'kubevirt_platform_autopilot_state{state="Active"} 1',
  ]);
});

test("the command that explain prints takes over the object", async () => {
  const explained = await printed("explain", "metallb-operator");
  const command = asText(at(explained, "autopilot", "handOver")) ?? "";
  expect(command).toMatch(/^kubectl annotate metallb metallb -n metallb-system /);
  const { code, stderr } = await platform.testCluster.server.kubectl(...command.split(" ").slice(1));
  expect({ code, stderr }).toMatchObject({ code: 0 });
  await platform.until(async () =>
    expect((await managers()).get("MetalLB metallb-system/metallb")).toBe("virt-platform-operator"),
  );
});
