// The policies accept every apply of declared content, and forged managedFields do not hide other content.

import type { JsonMap, KubeObject } from "@virt/api";
import type { ApiUser } from "@virt/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ControllerName } from "../../support/account.ts";
import {
  applyAs,
  type OwnObject,
  operators,
  own,
  ownObject,
  pathOf,
  setPatch,
  startCatalogCluster,
} from "./own-objects.ts";
import { messageOf, type RightsCluster } from "./rights-cluster.ts";

let cluster: RightsCluster;
beforeAll(async () => {
  cluster = await startCatalogCluster();
  for (const by of operators) for (const one of own[by]) await apply(by, one);
});
afterAll(() => cluster.server.stop());

const apply = (by: ControllerName, one: OwnObject) => applyAs(cluster.accounts[by], by, one);

test("the platform operator corrects a list element that another client extended", async () => {
  const one = ownObject("platform", "HyperConverged");
  const device = { pciDeviceSelector: "10DE:1EB8", resourceName: "theirs.example/device", disabled: true };
  const body = { spec: { permittedHostDevices: { pciHostDevices: [device] } } };
  await cluster.server.request({ method: "PATCH", path: pathOf(one), body });
  const answer = await apply("platform", one);
  expect(messageOf(answer)).toBe("");
  expect((answer.body as KubeObject)["spec"]).toMatchObject({
    permittedHostDevices: { pciHostDevices: [{ ...device, resourceName: "nvidia.com/TU104GL_Tesla_T4" }] },
  });
});

/** Fields that an apply replaces completely, with another client's members. */
const replaced: readonly { readonly by: ControllerName; readonly kind: string; readonly spec: JsonMap }[] = [
  { by: "platform", kind: "Service", spec: { selector: { theirs: "x" } } },
  { by: "platform", kind: "ServiceMonitor", spec: { selector: { matchLabels: { theirs: "x" } } } },
  {
    by: "platform",
    kind: "KubeletConfig",
    spec: {
      machineConfigPoolSelector: {
        matchLabels: { theirs: "x" },
        matchExpressions: [{ key: "theirs", operator: "Exists" }],
      },
    },
  },
  { by: "platform", kind: "NodeHealthCheck", spec: { selector: { matchLabels: { theirs: "x" } } } },
  { by: "platform", kind: "NodeHealthCheck", spec: { remediationTemplate: { fieldPath: "theirs" } } },
  { by: "platform", kind: "MachineConfig", spec: { kernelArguments: ["theirs=1"] } },
  { by: "advisor", kind: "MachineConfig", spec: { kernelArguments: ["theirs=1"] } },
  { by: "advisor", kind: "KubeDescheduler", spec: { profiles: ["LifecycleAndUtilization"] } },
  {
    by: "advisor",
    kind: "HyperConverged",
    spec: { ksmConfiguration: { nodeLabelSelector: { matchLabels: { theirs: "x" } } } },
  },
];

test.each(replaced)("the $by operator restores an atomic field of its $kind: $spec", async ({ by, kind, spec }) => {
  const isFound = ({ object }: OwnObject) =>
    object.kind === kind && Object.keys(spec).every((field) => field in (object["spec"] as JsonMap));
  const found = own[by].find(isFound);
  if (found === undefined) throw new Error(`there is no ${kind}`);
  const before = ((await apply(by, found)).body as KubeObject)["spec"];
  const path = `${pathOf(found)}?fieldManager=theirs`;
  const edited = await cluster.server.request({ method: "PATCH", path, body: { spec } });
  expect(edited).toMatchObject({ status: 200, body: { spec } });
  const answer = await apply(by, found);
  expect(messageOf(answer)).toBe("");
  expect((answer.body as KubeObject)["spec"]).toEqual(before);
});

test("a patch's additions go with it, also in another client's maps", async () => {
  const one = ownObject("platform", "KubeletConfig");
  const { spec } = one.object as unknown as { readonly spec: JsonMap };
  const send = (method: "POST" | "PATCH", path: string, body: JsonMap) =>
    cluster.server.request({ method, path: `${path}?fieldManager=person`, body });
  await cluster.server.request({ method: "DELETE", path: pathOf(one) });
  const { apiVersion, kind, metadata } = one.object;
  const annotations = { "example.com/theirs": "x" };
  const theirs = { apiVersion, kind, metadata: { name: metadata.name, annotations }, spec: { kubeletConfig: {} } };
  expect(await send("POST", pathOf(one).replace(/\/[^/]+$/, ""), theirs)).toMatchObject({ status: 201 });
  await send("PATCH", pathOf(one), { metadata: { annotations: { "example.com/theirs": null } } });
  await setPatch(cluster, one, "[]");
  const kubeletConfig = { ...(spec["kubeletConfig"] as JsonMap), podsPerCore: 9 };
  const patched = {
    ...one.object,
    metadata: { ...metadata, annotations: { "example.com/by-patch": "x" } },
    spec: { ...spec, kubeletConfig },
  };
  expect(messageOf(await apply("platform", { ...one, object: patched }))).toBe("");
  await setPatch(cluster, one, null);
  const answer = await apply("platform", one);
  expect(messageOf(answer)).toBe("");
  expect((answer.body as KubeObject).metadata.annotations ?? {}).toEqual({});
  expect((answer.body as KubeObject)["spec"]).toEqual(spec);
});

test("a patch's additions go with it, even if they empty the map", async () => {
  const one = ownObject("platform", "MetalLB");
  const send = (user: ApiUser, manager: string, body: JsonMap) =>
    user.request({ method: "PATCH", path: `${pathOf(one)}?fieldManager=${manager}`, body });
  await setPatch(cluster, one, "[]");
  const patched = { ...one.object, spec: { logLevel: "debug" } };
  expect(messageOf(await apply("platform", { ...one, object: patched }))).toBe("");
  await setPatch(cluster, one, null);
  expect(messageOf(await apply("platform", one))).toContain('spec: Invalid value: "null"');
  const removal = { spec: { logLevel: null } };
  expect(messageOf(await send(cluster.accounts.platform, "virt-platform-operator", removal))).toBe("");
  const answer = await apply("platform", one);
  expect(messageOf(answer)).toBe("");
  expect((answer.body as KubeObject)["spec"]).toEqual({});
});

const forgedEntry = (manager: string, fields: JsonMap, second = 0): JsonMap => ({
  manager,
  operation: "Update",
  apiVersion: "hco.kubevirt.io/v1beta1",
  time: `2100-01-01T00:00:${`${second}`.padStart(2, "0")}Z`,
  fieldsType: "FieldsV1",
  fieldsV1: fields,
});
const strategy = { "f:spec": { "f:evictionStrategy": {} } };
const many = Array.from({ length: 12 }, (_, at) => forgedEntry(`forged-${at}`, { "f:spec": { [`f:x${at}`]: {} } }, at));

/** With each one, the API server does not list the change under the operator's manager, for a different reason. */
const forgeries: readonly { readonly forged: string; readonly managedFields: readonly JsonMap[] }[] = [
  { forged: "no entry", managedFields: [{}] },
  { forged: "an entry of another client", managedFields: [forgedEntry("other", strategy)] },
  { forged: "an entry of the operator", managedFields: [forgedEntry("virt-platform-operator", strategy)] },
  { forged: "more entries than are kept", managedFields: many },
  { forged: "merged entries", managedFields: [...many, forgedEntry("ancient-changes", strategy)] },
];

test.each(forgeries)("$forged in managedFields does not hide a change of another client's field", async (forgery) => {
  const one = ownObject("platform", "HyperConverged");
  const { managedFields } = forgery;
  for (const fieldManager of ["virt-platform-operator", "virt-platform-operator-released", "other"]) {
    const path = `${pathOf(one)}?fieldManager=${fieldManager}`;
    const change = { spec: { evictionStrategy: "External", uninstallStrategy: "RemoveWorkloads" } };
    const both = {
      method: "PATCH",
      path: `${path}&dryRun=All`,
      body: { ...change, metadata: { managedFields } },
    } as const;
    expect(messageOf(await cluster.accounts.platform.request(both))).toContain("may not write spec of HyperConverged");
    expect(
      await cluster.server.request({ method: "PATCH", path, body: { metadata: { managedFields } } }),
    ).toMatchObject({
      status: 200,
    });
    const after = { method: "PATCH", path: `${path}&dryRun=All`, body: change } as const;
    expect(messageOf(await cluster.accounts.platform.request(after))).toContain("may not write spec of HyperConverged");
  }
  expect(messageOf(await apply("platform", one))).toBe("");
});
