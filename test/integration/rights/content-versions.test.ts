// The policies restrict the platform operator's token when HyperConverged v1 appears, and accept its own content.

import type { JsonMap, KubeObject } from "@virt/api";
import { at } from "@virt/objects";
import type { ApiUser } from "@virt/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTwoVersions, type TwoVersions, type Version } from "../../platform/hco-versions.ts";
import { openAccount } from "../../support/account.ts";
import { desiredWith } from "../assets/rendering.ts";
import { readMock } from "../mock-crds/definitions.ts";
import { messageOf } from "./rights-cluster.ts";

const setting = {
  said: {
    "vfio-devices": '[{"selector": "10DE:1EB8", "resourceName": "nvidia.com/TU104GL_Tesla_T4"}]',
    "usb-devices": '[{"resourceName": "a.b/c", "selectors": [{"vendor": "46f4", "product": "0001"}]}]',
  },
  podCIDR: "10.128.0.0/20",
};

function rendered(version: Version): KubeObject {
  const definitions = [`hyperconvergeds-${version}`, "kubedeschedulers-v532", "migrationpolicies"].map((name) =>
    readMock(`${name}.yaml`),
  );
  const found = desiredWith(definitions, setting).find(({ object }) => object.kind === "HyperConverged");
  if (found === undefined) throw new Error("the catalog renders no HyperConverged");
  return found.object;
}

let versions: TwoVersions;
let account: ApiUser;
beforeAll(async () => {
  versions = await startTwoVersions("old");
  account = await openAccount(versions.testCluster.server, "platform");
  await versions.create(
    "v1beta1",
    { featureGates: { deployKubeSecondaryDNS: true } },
    { "example.com/theirs": "true" },
  );
});
afterAll(() => versions[Symbol.asyncDispose]());

const pathIn = (version: Version) =>
  `/apis/hco.kubevirt.io/${version}/namespaces/openshift-cnv/hyperconvergeds/kubevirt-hyperconverged`;

const apply = (object: KubeObject, query = "force=true") =>
  account.request({
    method: "PATCH",
    path: `/apis/${object.apiVersion}/namespaces/openshift-cnv/hyperconvergeds/${object.metadata.name}?fieldManager=virt-platform-operator&${query}`,
    contentType: "application/apply-patch+yaml",
    body: object,
  });

const gatesOf = (object: unknown) =>
  (at(object as KubeObject, "spec", "featureGates") ?? []) as readonly {
    readonly name: string;
    readonly state: string;
  }[];

test("the first apply in v1 corrects drift and keeps v1's defaults", async () => {
  expect(messageOf(await apply(rendered("v1beta1")))).toBe("");
  await versions.edit("v1beta1", { spec: { liveMigrationConfig: { allowPostCopy: true } } });
  await versions.testCluster.server.installCrds([versions.conversion.both]);
  const answer = await apply(rendered("v1"));
  expect(messageOf(answer)).toBe("");
  expect((answer.body as KubeObject)["spec"]).toMatchObject({
    virtualization: {
      vmiCPUAllocationRatio: 10,
      liveMigrationConfig: { allowPostCopy: false, allowWorkloadDisruption: false },
    },
  });
  expect(gatesOf(answer.body)).toContainEqual({ name: "deployKubeSecondaryDNS", state: "Enabled" });
});

test("the token cannot change another client's feature gates in v1", async () => {
  const path = `${pathIn("v1")}?dryRun=All`;
  const gates = gatesOf(await versions.read("v1"));
  const turned = gates.map(({ name }) => ({ name, state: name === "objectGraph" ? "Enabled" : "Disabled" }));
  for (const featureGates of [null, [], gates.slice(1), turned]) {
    const edited = await account.request({ method: "PATCH", path, body: { spec: { featureGates } } });
    expect(messageOf(edited)).toContain("may not write spec of HyperConverged");
    const object = rendered("v1");
    const hostile = { ...object, spec: { ...(object["spec"] as JsonMap), featureGates } };
    const applied = await apply(hostile, "force=true&dryRun=All");
    expect(messageOf(applied)).toMatch(/may not write spec of HyperConverged|is invalid/);
  }
});
