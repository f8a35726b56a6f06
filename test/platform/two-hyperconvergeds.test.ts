import type { JsonMap } from "@virt/api";
import { asList, asText, at } from "@virt/objects";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hcoPath, startPlatformCluster } from "../support/platform-cluster.ts";
import { objectPaths } from "../support/running-platform.ts";
import type { TestCluster } from "../support/test-cluster.ts";

const prefix = "platform.kubevirt.io/";
let testCluster: TestCluster;

beforeAll(async () => {
  testCluster = await startPlatformCluster();
  await post("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "aaa-tenant" } });
  await createHco("aaa-tenant", { [`${prefix}mode`]: "planted" });
  const annotations = {
    [`${prefix}virt-platform-operator`]: "descheduler-loadaware",
    [`${prefix}enable-loadaware`]: "true",
  };
  await createHco("openshift-cnv", annotations, { liveMigrationConfig: { parallelOutboundMigrationsPerNode: 1000 } });
  await testCluster.startOperator();
});
afterAll(() => testCluster[Symbol.asyncDispose]());

async function post(path: string, body: object): Promise<void> {
  const answer = await testCluster.server.request({ method: "POST", path, body });
  if (answer.status >= 300) throw new Error(JSON.stringify(answer.body));
}

function createHco(namespace: string, annotations: object, spec: object = {}): Promise<void> {
  const metadata = { name: "kubevirt-hyperconverged", namespace, annotations };
  const path = `/apis/hco.kubevirt.io/v1beta1/namespaces/${namespace}/hyperconvergeds`;
  return post(path, { apiVersion: "hco.kubevirt.io/v1beta1", kind: "HyperConverged", metadata, spec });
}

const notes = async (): Promise<readonly string[]> => {
  const { body } = await testCluster.server.request({ path: "/apis/events.k8s.io/v1/events" });
  return asList(at(body as JsonMap, "items")).map(
    (each) => `${asText(at(each, "reason"))}: ${asText(at(each, "note"))}`,
  );
};

test("limits evictions from the HyperConverged and reports the limited field", async () => {
  const path = objectPaths.descheduler;
  const limits = async () => at((await testCluster.server.request({ path })).body as JsonMap, "spec", "evictionLimits");
  await expect.poll(limits).toEqual({ node: 100, total: 5 });
  const note =
    "ValueLimited: evictionLimits.node is limited to 100: HyperConverged parallelOutboundMigrationsPerNode is 1000";
  await expect.poll(notes).toContain(note);
});

test("omits its thresholds while another client sets rival ones, and reports it", async () => {
  const path = objectPaths.descheduler;
  const thresholds = async () => {
    const { body } = await testCluster.server.request({ path });
    const { devDeviationThresholds: ours = null, devLowNodeUtilizationThresholds: theirs = null } =
      (at(body as JsonMap, "spec", "profileCustomizations") as JsonMap | undefined) ?? {};
    return { ours, theirs };
  };
  const setTheirs = (devLowNodeUtilizationThresholds: string | null) => {
    const body = { spec: { profileCustomizations: { devLowNodeUtilizationThresholds } } };
    return testCluster.server.request({ method: "PATCH", path: `${path}?fieldManager=threshold-setter`, body });
  };
  await expect.poll(thresholds).toEqual({ ours: "AsymmetricLow", theirs: null });
  await setTheirs("Medium");
  await expect.poll(thresholds).toEqual({ ours: null, theirs: "Medium" });
  const note =
    'ValueLimited: spec.profileCustomizations.devLowNodeUtilizationThresholds is "Medium", set by threshold-setter; the descheduler operator does not accept devDeviationThresholds together with it';
  await expect.poll(notes).toContainEqual(expect.stringContaining(note));
  await setTheirs(null);
  await expect.poll(thresholds).toEqual({ ours: "AsymmetricLow", theirs: null });
});

test("reports overrides only of the HyperConverged that it manages", async () => {
  const body = { metadata: { annotations: { [`${prefix}mode`]: "mistaken" } } };
  await testCluster.server.request({ method: "PATCH", path: hcoPath, body });
  const modes = async () => (await notes()).filter((note) => note.startsWith("InvalidMode: ")).join("\n");
  await expect.poll(modes).toContain("mistaken");
  expect(await modes()).not.toContain("planted");
});
