import { fieldManagers, type JsonMap } from "@virt/api";
import { appliedBy, isNoFields, leavesOf, readOwners } from "@virt/objects";
import { objectAnnotations, releasedManager } from "@virt/platform";
import { expect, test } from "vitest";
import { hcoPath, runCommand } from "../support/platform-cluster.ts";
import { objectPaths, sharePlatform } from "../support/running-platform.ts";

const platform = sharePlatform();

const { check } = objectPaths;
const notes = async () => (await platform.outputs.events()).map(({ reason, note }) => `${reason}: ${note}`);
const untilReported = (note: string) => platform.until(async () => expect(await notes()).toContain(note));

const report = async () =>
  (await platform.outputs.report()) as { objects: { object: string; status: string }[] } & JsonMap;
const statusOf = async (name: string) => (await report()).objects?.find(({ object }) => object === name)?.status;

test("reports once that all assets are applied, with both numbers", async () => {
  await platform.until(async () =>
    expect(
      (await notes()).filter((note) => /^ReconcileSucceeded: .*: (\d+)\/\1 assets applied$/.test(note)),
    ).toHaveLength(1),
  );
});

test("the report lists every object with its current status", async () => {
  await platform.untilLong(async () => {
    const { objects, ...rest } = await report();
    expect(rest).toMatchObject({ version: 1, activation: { mode: "always", isActive: true }, exclusions: [] });
    expect(new Set(objects.map(({ status }) => status))).toEqual(new Set(["InSync"]));
    expect(objects).toHaveLength(platform.targets.length);
  });
  await platform.annotate(check, { mode: "unmanaged" });
  await platform.untilLong(async () =>
    expect(await statusOf("NodeHealthCheck virt-node-health-check")).toBe("Unmanaged"),
  );
  await platform.annotate(check, { mode: null });
});

test("reports each override that takes effect and each invalid one", async () => {
  const name = "NodeHealthCheck virt-node-health-check";
  const patch = JSON.stringify([{ op: "replace", path: "/spec/minHealthy", value: "60%" }]);
  await platform.annotate(check, { patch });
  await untilReported(`PatchApplied: Applied 1 JSON patch operation(s) to ${name}`);
  await platform.annotate(check, { "ignore-fields": "/spec/minHealthy" });
  await untilReported(`FieldsReleased: Released /spec/minHealthy of ${name}`);
  await platform.annotate(check, { mode: "sometimes" });
  await untilReported(
    `InvalidMode: Invalid annotation platform.kubevirt.io/mode on ${name}: must be unmanaged, managed or empty, not "sometimes". The object is left unchanged: drift is reported but not corrected. Next: correct it, or kubectl annotate nodehealthcheck virt-node-health-check platform.kubevirt.io/mode-`,
  );
  await platform.annotate(check, { mode: null, "reconcile-paused": "true" });
  await platform.untilLong(async () => expect(await statusOf(name)).toBe("Paused"));
  await platform.annotate(check, { "reconcile-paused": null });
  await untilReported(`ReconcileResumed: Reconciliation of ${name} resumed`);
});

test("release lists objects, and with --yes removes our marks and keeps values", async () => {
  await platform.operator.kill();
  const { kubeconfig } = platform.testCluster.server;
  const listed = await runCommand("release", `--kubeconfig=${kubeconfig}`);
  expect(listed).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("Nothing was changed. To release these objects, repeat the command with --yes"),
  });
  expect(listed.stdout.trim().split("\n")).toHaveLength(platform.targets.length);
  const wrong = await runCommand("release", `--kubeconfig=${kubeconfig}`, "--kind=KubeDesheduler", "--yes");
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining("did you mean KubeDescheduler?") });
  const path = objectPaths.descheduler;
  const before = await platform.read(path);
  const done = await runCommand("release", `--kubeconfig=${kubeconfig}`, "--kind=KubeDescheduler", "--yes");
  expect(done).toMatchObject({ code: 0, stdout: expect.stringMatching(/^released KubeDescheduler .*\/cluster\n$/) });
  const after = await platform.read(path);
  expect(after["spec"]).toEqual(before["spec"]);
  expect(after.metadata.labels?.["platform.kubevirt.io/managed-by"]).toBeUndefined();
  expect(after.metadata.annotations?.[objectAnnotations.state]).toBeUndefined();
  expect(isNoFields(appliedBy(readOwners(after), fieldManagers.platform))).toBe(true);
  expect(leavesOf(appliedBy(readOwners(after), releasedManager)).length).toBeGreaterThan(0);
  const again = await runCommand("release", `--kubeconfig=${kubeconfig}`, "--kind=KubeDescheduler", "--yes");
  expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining("There is nothing to release.") });
});

test("reports several HyperConvergeds and chooses none", async () => {
  const { server } = platform.testCluster;
  const root = "/apis/hco.kubevirt.io/v1beta1/namespaces";
  await server.request({ method: "DELETE", path: hcoPath });
  for (const name of ["one", "two"]) {
    await server.request({
      method: "POST",
      path: "/api/v1/namespaces",
      body: { apiVersion: "v1", kind: "Namespace", metadata: { name } },
    });
    const body = {
      apiVersion: "hco.kubevirt.io/v1beta1",
      kind: "HyperConverged",
      metadata: { name: "kubevirt-hyperconverged" },
      spec: {},
    };
    await server.request({ method: "POST", path: `${root}/${name}/hyperconvergeds`, body });
  }
  await platform.start();
  await untilReported(
    "MultipleHyperConverged: More than one HyperConverged found, in namespaces one, two; set --hco-namespace",
  );
  for (const name of ["one", "two"]) {
    const { metadata } = await platform.read(`${root}/${name}/hyperconvergeds/kubevirt-hyperconverged`);
    expect(metadata.labels).toBeUndefined();
  }
});
