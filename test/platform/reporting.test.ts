import { fieldManagers, type JsonMap } from "@virt/api";
import { appliedBy, asList, asText, at, isNoFields, leavesOf, readOwners } from "@virt/objects";
import { objectAnnotations, releasedManager, reportName } from "@virt/platform";
import type { Crd } from "@virt/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FullCluster, startFullCluster, untilConverged } from "../support/full-cluster.ts";
import { runCommand } from "../support/platform-cluster.ts";
import type { RunningProgram } from "../support/program.ts";
import { mockCrd } from "../support/test-cluster.ts";

let fullCluster: FullCluster;
let operator: RunningProgram;
beforeAll(async () => {
  fullCluster = await startFullCluster();
  operator = await fullCluster.start();
  await untilConverged(fullCluster);
});
afterAll(() => fullCluster[Symbol.asyncDispose]());

const pathOf = (kind: string) => fullCluster.targets.find(({ ref }) => ref.kind === kind)?.path ?? "";
const annotate = (path: string, key: keyof typeof objectAnnotations, text: string | null) =>
  fullCluster.edit(path, { metadata: { annotations: { [objectAnnotations[key]]: text } } }, "person");

const notes = async (): Promise<readonly string[]> => {
  const { body } = await fullCluster.testCluster.server.request({ path: "/apis/events.k8s.io/v1/events" });
  return asList(at(body as JsonMap, "items")).map(
    (event) => `${asText(at(event, "reason"))}: ${asText(at(event, "note"))}`,
  );
};
const untilReported = (note: string) => fullCluster.until(async () => expect(await notes()).toContain(note));

const report = async (): Promise<{ objects: { object: string; status: string }[] } & JsonMap> => {
  const path = `/api/v1/namespaces/virt-platform-operator-system/configmaps/${reportName}`;
  const text = at((await fullCluster.testCluster.server.request({ path })).body as JsonMap, "data", "report.json");
  return JSON.parse(typeof text === "string" ? text : "{}") as Awaited<ReturnType<typeof report>>;
};
const statusOf = async (name: string) => (await report()).objects?.find(({ object }) => object === name)?.status;

test("reports once that all assets are applied, with both numbers", async () => {
  await fullCluster.until(async () =>
    expect(
      (await notes()).filter((note) => /^ReconcileSucceeded: .*: (\d+)\/\1 assets applied$/.test(note)),
    ).toHaveLength(1),
  );
});

test("the report lists every object with its current status", async () => {
  await fullCluster.untilLong(async () => {
    const { objects, ...rest } = await report();
    expect(rest).toMatchObject({ version: 1, activation: { mode: "always", isActive: true }, exclusions: [] });
    expect(new Set(objects.map(({ status }) => status))).toEqual(new Set(["InSync"]));
    expect(objects).toHaveLength(fullCluster.targets.length);
  });
  await annotate(pathOf("NodeHealthCheck"), "mode", "unmanaged");
  await fullCluster.untilLong(async () =>
    expect(await statusOf("NodeHealthCheck virt-node-health-check")).toBe("Unmanaged"),
  );
  await annotate(pathOf("NodeHealthCheck"), "mode", null);
});

test("reports each override that takes effect and each invalid one", async () => {
  const check = pathOf("NodeHealthCheck");
  const name = "NodeHealthCheck virt-node-health-check";
  await annotate(check, "patch", JSON.stringify([{ op: "replace", path: "/spec/minHealthy", value: "60%" }]));
  await untilReported(`PatchApplied: Applied 1 JSON patch operation(s) to ${name}`);
  await annotate(check, "ignoreFields", "/spec/minHealthy");
  await untilReported(`FieldsReleased: Released /spec/minHealthy of ${name}`);
  await annotate(check, "mode", "sometimes");
  await untilReported(
    `InvalidMode: Invalid annotation platform.kubevirt.io/mode on ${name}: must be unmanaged, managed or empty, not "sometimes". The object is left unchanged: drift is reported but not corrected. Next: correct it, or kubectl annotate nodehealthcheck virt-node-health-check platform.kubevirt.io/mode-`,
  );
  await annotate(check, "mode", null);
  await annotate(check, "paused", "true");
  await fullCluster.untilLong(async () => expect(await statusOf(name)).toBe("Paused"));
  await annotate(check, "paused", null);
  await untilReported(`ReconcileResumed: Reconciliation of ${name} resumed`);
});

test("reports a returning CRD with the assets that waited for it", async () => {
  const { server } = fullCluster.testCluster;
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/uiplugins.observability.openshift.io";
  await server.removeCrd((await server.request({ path })).body as Crd);
  await fullCluster.untilLong(async () => expect(JSON.stringify(await report())).toContain('"reason":"CRDMissing"'));
  await server.installCrds([mockCrd("uiplugins")]);
  await fullCluster.until(async () => {
    const found = (await notes()).find((note) => note.startsWith("CRDDiscovered"));
    expect(found).toMatch(
      /^CRDDiscovered: CRD uiplugins\.observability\.openshift\.io discovered, .+ assets can now be reconciled$/,
    );
  });
  await untilConverged(fullCluster);
});

test("release lists objects, and with --yes removes our marks and keeps values", async () => {
  await operator.kill();
  const { kubeconfig } = fullCluster.testCluster.server;
  const listed = await runCommand("release", `--kubeconfig=${kubeconfig}`);
  expect(listed).toMatchObject({ code: 0, stderr: expect.stringContaining("Nothing was changed. Repeat with --yes") });
  expect(listed.stdout.trim().split("\n")).toHaveLength(fullCluster.targets.length);
  const wrong = await runCommand("release", `--kubeconfig=${kubeconfig}`, "--kind=KubeDesheduler", "--yes");
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining("did you mean KubeDescheduler?") });
  const path = pathOf("KubeDescheduler");
  const before = await fullCluster.read(path);
  const done = await runCommand("release", `--kubeconfig=${kubeconfig}`, "--kind=KubeDescheduler", "--yes");
  expect(done).toMatchObject({ code: 0, stdout: expect.stringMatching(/^released KubeDescheduler .*\/cluster\n$/) });
  const after = await fullCluster.read(path);
  expect(after["spec"]).toEqual(before["spec"]);
  expect(after.metadata.labels?.["platform.kubevirt.io/managed-by"]).toBeUndefined();
  expect(after.metadata.annotations?.[objectAnnotations.state]).toBeUndefined();
  expect(isNoFields(appliedBy(readOwners(after), fieldManagers.platform))).toBe(true);
  expect(leavesOf(appliedBy(readOwners(after), releasedManager)).length).toBeGreaterThan(0);
  const again = await runCommand("release", `--kubeconfig=${kubeconfig}`, "--kind=KubeDescheduler", "--yes");
  expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining("There is nothing to release.") });
});

test("reports several HyperConvergeds and chooses none", async () => {
  const { server } = fullCluster.testCluster;
  const root = "/apis/hco.kubevirt.io/v1beta1/namespaces";
  await server.request({ method: "DELETE", path: pathOf("HyperConverged") });
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
  await fullCluster.start();
  await untilReported(
    "MultipleHyperConverged: More than one HyperConverged found, in namespaces one, two; set --hco-namespace",
  );
  for (const name of ["one", "two"]) {
    const { metadata } = await fullCluster.read(`${root}/${name}/hyperconvergeds/kubevirt-hyperconverged`);
    expect(metadata.labels).toBeUndefined();
  }
});
