import { readFileSync } from "node:fs";
import { conditionOf } from "@virt/advisor";
import { at } from "@virt/engine";
import { type Crd, inRepository } from "@virt/testkit";
import { load } from "js-yaml";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { itemOf } from "../../world/configs.ts";
import { mockCrd, startWorld, type World } from "../../world/world.ts";
import { higherDensity, loadAware, paths, readAt, reasonsAbout, tellOnFailure, writesOf } from "./cluster.ts";

const ownCrd = inRepository("config", "crd", "bases", "advisor.kubevirt.io_virtplatformconfigs.yaml");
const deschedulers = mockCrd("kubedeschedulers-v532");
const withoutPsi = { loadAware: { enablePSIMetrics: false } };
const withoutSwap = { virtHigherDensity: { enableSwap: false } };
let world: World;

beforeAll(async () => {
  world = await startWorld();
  await world.startOperator({ flags: ["--advertise-profiles=false"] });
});
afterEach(tellOnFailure(() => world));
afterEach(async () => {
  for (const name of [loadAware, higherDensity])
    await world.server.request({
      method: "DELETE",
      path: `/apis/advisor.kubevirt.io/v1alpha1/virtplatformconfigs/${name}`,
    });
});
afterAll(() => world[Symbol.asyncDispose]());

/** A definition as its file has it, with some of its text replaced. */
function altered(file: string, change: (text: string) => string): Crd {
  return JSON.parse(change(JSON.stringify(load(readFileSync(file, "utf8"))))) as Crd;
}

test("options that no plan can be made of, stored before a rule forbade them, are named until they are mended", async () => {
  const { configs, server } = world;
  const rule = /"rule":"!has\(self\.memoryToRequestRatio\)[^"]*"/g;
  await server.installCrds([altered(ownCrd, (text) => text.replace(rule, `"rule":"true"`))]);
  const options = { virtHigherDensity: { enableSwap: false, memoryToRequestRatio: 150 } };
  await expect
    .poll(async () => configs.create(higherDensity, { action: "Apply", options }).then(() => "stored", String))
    .toBe("stored");
  await server.installCrds([ownCrd]);
  const refused = await configs.until(higherDensity, "PrerequisiteFailed");
  const text = "Invalid config: memoryToRequestRatio > 120 requires enableSwap=true";
  expect(conditionOf(refused, "PrerequisiteFailed")?.message).toBe(text);
  expect(conditionOf(refused, "Stalled")).toMatchObject({ status: "True", message: text });
  expect(refused.items).toBeUndefined();
  await configs.edit(higherDensity, {
    action: "DryRun",
    options: { virtHigherDensity: { memoryToRequestRatio: 110 } },
  });
  await configs.until(higherDensity, "ReviewRequired");
});

test("a profile that this build does not know is named", async () => {
  const { configs, server } = world;
  await server.installCrds([
    altered(ownCrd, (text) => text.replaceAll('"example-profile"', '"example-profile","later-profile"')),
  ]);
  await expect
    .poll(async () => configs.create("later-profile", { action: "Apply" }).then(() => "stored", String))
    .toBe("stored");
  const unknown = await configs.until("later-profile", "PrerequisiteFailed");
  expect(conditionOf(unknown, "PrerequisiteFailed")?.message).toBe(
    'Profile not found: profile "later-profile" not found',
  );
  await configs.remove("later-profile");
  await server.installCrds([ownCrd]);
});

test("a selector that matches no node is a warning, and the plan goes on", async () => {
  const { configs, server } = world;
  const node = { apiVersion: "v1", kind: "Node", metadata: { name: "only", labels: { zone: "a" } } };
  await server.request({ method: "POST", path: "/api/v1/nodes", body: node });
  const selecting = (zone: string) => ({
    virtHigherDensity: { enableSwap: false, ksmConfiguration: { nodeLabelSelector: { matchLabels: { zone } } } },
  });
  await configs.create(higherDensity, { action: "DryRun", options: selecting("b") });
  const reviewed = await configs.until(higherDensity, "ReviewRequired");
  expect(itemOf(reviewed, "configure-higher-density").warnings).toContain("nodeLabelSelector matches no node");
  await configs.edit(higherDensity, { options: selecting("a") });
  const matching = await configs.until(
    higherDensity,
    ({ phase, observedGeneration }) => phase === "ReviewRequired" && observedGeneration === 2,
  );
  expect(itemOf(matching, "configure-higher-density").warnings).not.toContain("nodeLabelSelector matches no node");
});

test("a descheduler without any profile that we know is a missing prerequisite, until it offers one", async () => {
  const { configs, server } = world;
  const known = /"(Dev)?KubeVirtRelieveAndMigrate"|"LongLifecycle"/g;
  let count = 0;
  await server.installCrds([altered(deschedulers, (text) => text.replace(known, () => `"Unknown${count++}"`))]);
  await configs.create(loadAware, { action: "DryRun", options: withoutPsi });
  const missing = await configs.until(loadAware, "PrerequisiteFailed");
  expect(conditionOf(missing, "PrerequisiteFailed")?.message).toBe(
    [
      "Missing required dependencies:\n",
      "  - KubeDescheduler (operator.openshift.io.v1): The installed Descheduler Operator offers no supported profile\n",
    ].join(""),
  );
  await expect.poll(() => reasonsAbout(server, loadAware)).toContain("PrerequisitesMissing");
  await server.installCrds([deschedulers]);
  await configs.until(loadAware, "ReviewRequired");
  await expect.poll(() => reasonsAbout(server, loadAware)).toContain("PrerequisitesAvailable");
});

test("a HyperConverged that does not exist is created by the plan, which says so before", async () => {
  const { configs, server } = world;
  await configs.create(higherDensity, { action: "DryRun", options: withoutSwap });
  const reviewed = await configs.until(higherDensity, "ReviewRequired");
  const item = itemOf(reviewed, "configure-higher-density");
  expect(item.warnings).toEqual(["HyperConverged 'kubevirt-hyperconverged' does not exist and will be created"]);
  expect(item.diff).toMatch(/^--- \/dev\/null\n\+\+\+ kubevirt-hyperconverged \(HyperConverged\)\n/);
  await configs.edit(higherDensity, { action: "Apply" });
  await configs.until(higherDensity, "Completed");
  const hco = await readAt(server, paths.hco);
  expect(at(hco, "spec", "higherWorkloadDensity", "memoryOvercommitPercentage")).toBe(120);
});

test("a namespace that does not exist is named, nothing is lost, and the plan goes on when it is there", async () => {
  const { configs, server } = world;
  const name = "openshift-kube-descheduler-operator";
  await removeNamespace(name);
  const writes = writesOf(server).length;
  await configs.create(loadAware, { action: "Apply", options: withoutPsi });
  const blocked = await configs.until(loadAware, "PrerequisiteFailed");
  expect(conditionOf(blocked, "PrerequisiteFailed")?.message).toBe(`Namespace '${name}' does not exist`);
  expect(conditionOf(blocked, "Ready")?.message).toContain(" Next: ");
  expect(writesOf(server).slice(writes)).toEqual([]);
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
  expect((await server.request({ method: "POST", path: "/api/v1/namespaces", body: namespace })).status).toBe(201);
  // Namespaces are not watched; the next look is in two minutes, or with any CRD that changes.
  await server.installCrds([mockCrd("aaqs")]);
  await configs.until(loadAware, "Completed");
});

/** There is no controller manager that would end what a deletion begins. */
async function removeNamespace(name: string): Promise<void> {
  const path = `/api/v1/namespaces/${name}`;
  await world.server.request({ method: "DELETE", path });
  const body = { apiVersion: "v1", kind: "Namespace", metadata: { name }, spec: { finalizers: [] } };
  await world.server.request({ method: "PUT", path: `${path}/finalize`, body });
  await expect.poll(async () => (await world.server.request({ path })).status).toBe(404);
}
