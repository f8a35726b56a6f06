// Rights to change a switch without an annotation: by feature gates in either version, or by creating or removing the
// HyperConverged.

import { readFileSync } from "node:fs";
import type { JsonMap } from "@virt/api";
import { type ApiUser, type Server, startServer } from "@virt/testkit";
import { load } from "js-yaml";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anyImage, readManifests } from "../../../tools/package/manifests.ts";
import { applyManifests } from "../../support/account.ts";
import { mockCrd } from "../../support/test-cluster.ts";
import { type Permissions, person } from "./people.ts";
import { applyFolder, bindRole, dryRunWrite, manifest, messageOf, untilDenied, type Write } from "./rights-cluster.ts";
import { everything, onHco, rebooting } from "./switches.ts";

const prefix = "platform.kubevirt.io/";
const name = "kubevirt-hyperconverged";
const namespace = "openshift-cnv";
type Version = "v1" | "v1beta1";
const all: Permissions = {
  ...onHco,
  verbs: ["get", "list", "create", "update", "patch", "delete", "deletecollection"],
};
const kubelets: Permissions = { group: "machineconfiguration.openshift.io", resource: "kubeletconfigs" };

const folder = (version: Version, where = namespace) =>
  `/apis/hco.kubevirt.io/${version}/namespaces/${where}/hyperconvergeds`;
const hco = (version: Version, spec: object, annotations: object = {}, where = namespace) =>
  manifest(`hco.kubevirt.io/${version}`, "HyperConverged", { name, namespace: where, annotations }, { spec });

async function startWith(version: Version, definition: JsonMap, spec: object) {
  const server = await startServer();
  await server.installCrds([definition as never]);
  for (const one of [namespace, "theirs", "empty"])
    await applyManifests(server, manifest("v1", "Namespace", { name: one }));
  await applyFolder(server, "admission", "platform");
  await applyManifests(server, hco(version, spec, { [`${prefix}enable-swap`]: "false", "example.com/note": "" }));
  const owner = await person(server, "owner", [all]);
  const prune = { metadata: { annotations: { [`${prefix}prune`]: "true" } } };
  const turned: Write = { method: "PATCH", path: `${folder(version)}/${name}`, body: prune };
  await untilDenied(owner, turned, "virt-platform-operator-switches");
  return { server, owner };
}

const shipped = (version: Version) => load(readFileSync(mockCrd(`hyperconvergeds-${version}`), "utf8")) as JsonMap;

/** Version v1beta1 of clusters that kept unknown gates. */
function withAnyGate(): JsonMap {
  const text = JSON.stringify(shipped("v1beta1"));
  return JSON.parse(
    text.replace('"featureGates":{', '"featureGates":{"x-kubernetes-preserve-unknown-fields":true,'),
  ) as JsonMap;
}

type Gates = {
  readonly version: Version;
  readonly definition: JsonMap;
  readonly isOn: unknown;
  readonly isOff: unknown;
};
const forms: readonly Gates[] = [
  {
    version: "v1",
    definition: shipped("v1"),
    isOn: [{ name: "alignCPUs" }, { name: "CPUManager", state: "Enabled" }],
    isOff: [{ name: "alignCPUs" }],
  },
  { version: "v1beta1", definition: withAnyGate(), isOn: { CPUManager: true }, isOff: {} },
];

describe.each(forms)("a feature gate in $version", ({ version, definition, isOn, isOff }) => {
  let server: Server;
  let owner: ApiUser;
  const path = `${folder(version)}/${name}`;
  const set = (who: ApiUser, featureGates: unknown) =>
    dryRunWrite(who, { method: "PATCH", path, body: { spec: { featureGates } } });
  const cased = JSON.parse(JSON.stringify(isOn).replace("CPUManager", "cpumanager")) as unknown;

  beforeAll(async () => {
    ({ server, owner } = await startWith(version, definition, { featureGates: isOff }));
  });
  afterAll(() => server.stop());

  test.each([
    { how: "in the usual spelling", gates: isOn },
    { how: "in lower case", gates: cased },
  ])("that the operator uses requires further rights, $how", async ({ gates }) => {
    const answer = await set(owner, gates);
    expect(answer.status).toBe(403);
    expect(messageOf(answer)).toContain(
      "owner may not change feature gate CPUManager on the HyperConverged: virt-platform-operator would then write a KubeletConfig, which requires permission to patch kubeletconfigs.machineconfiguration.openshift.io",
    );
    const either = await person(server, `with-kubelets-${JSON.stringify(gates).length}-${String(gates === cased)}`, [
      all,
      kubelets,
    ]);
    expect(await set(either, gates)).toMatchObject({ status: 200 });
  });

  test("that the operator does not use requires no further rights", async () => {
    const other = JSON.parse(JSON.stringify(isOn).replace("CPUManager", "alignCPUsToo")) as unknown;
    expect(await set(owner, other)).toMatchObject({ status: 200 });
  });

  test("requires further rights to remove it, not to keep it", async () => {
    await server.request({ method: "PATCH", path, body: { spec: { featureGates: isOn } } });
    const off = version === "v1" ? isOff : { CPUManager: null };
    expect(await set(owner, off)).toMatchObject({ status: 403 });
    expect(await set(owner, isOn)).toMatchObject({ status: 200 });
    const body = { metadata: { labels: { team: "theirs" } } };
    expect(await dryRunWrite(owner, { method: "PATCH", path, body })).toMatchObject({ status: 200 });
    await server.request({ method: "PATCH", path, body: { spec: { featureGates: off } } });
  });
});

describe("a HyperConverged", () => {
  let server: Server;
  let owner: ApiUser;
  const version = "v1beta1";
  const collection = folder(version);
  const path = `${collection}/${name}`;
  const remove: Write = { method: "DELETE", path };
  const reports = "owner may not change platform.kubevirt.io/enable-swap on the HyperConverged";

  beforeAll(async () => {
    ({ server, owner } = await startWith(version, shipped(version), {}));
  });
  afterAll(() => server.stop());

  test("with a switch is deleted only with the rights to change the switch", async () => {
    expect(messageOf(await dryRunWrite(owner, remove))).toContain(reports);
    expect(messageOf(await dryRunWrite(owner, { method: "DELETE", path: collection }))).toContain(reports);
    const turner = await person(server, "turner", [all, { group: kubelets.group, resource: "machineconfigs" }]);
    expect(await dryRunWrite(turner, remove)).toMatchObject({ status: 200 });
  });

  test("with a reboot gate is deleted only with the rights to open it", async () => {
    await applyManifests(server, manifest("v1", "Namespace", { name: "gated" }));
    await applyManifests(server, hco(version, {}, { [`${prefix}reboot-gate`]: "true" }, "gated"));
    const removeGated: Write = { method: "DELETE", path: `${folder(version, "gated")}/${name}` };
    expect(messageOf(await dryRunWrite(owner, removeGated))).toContain(
      "owner may not change platform.kubevirt.io/reboot-gate on the HyperConverged",
    );
    const opener = await person(server, "opener", [all, ...rebooting]);
    expect(await dryRunWrite(opener, removeGated)).toMatchObject({ status: 200 });
  });

  test("with a switch gets an owner only with the rights to the switch", async () => {
    const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "bait", uid: "1-2-3" }];
    const answer = await dryRunWrite(owner, { method: "PATCH", path, body: { metadata: { ownerReferences } } });
    expect(messageOf(answer)).toContain(reports);
  });

  const cleaners = ["namespace-controller", "generic-garbage-collector"];
  test.each(cleaners)("can be deleted by the %s of Kubernetes", async (cleaner) => {
    const account = await server.serviceAccount("kube-system", cleaner);
    await bindRole(server, `system:serviceaccount:kube-system:${cleaner}`, "cluster-cleaner");
    await expect.poll(async () => (await dryRunWrite(account, remove)).status).toBe(200);
  });

  beforeAll(async () => {
    const rules = [{ apiGroups: ["*"], resources: ["*"], verbs: ["get", "list", "delete", "deletecollection"] }];
    const role = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole" };
    await applyManifests(server, JSON.stringify({ ...role, metadata: { name: "cluster-cleaner" }, rules }));
  });

  const make = (annotations: object) => {
    const body = JSON.parse(hco(version, {}, annotations, "empty")) as object;
    return dryRunWrite(owner, { method: "POST", path: folder(version, "empty"), body });
  };

  test("without a switch is created and deleted without further rights", async () => {
    await applyManifests(server, hco(version, {}, { "example.com/note": "" }, "theirs"));
    const theirs = folder(version, "theirs");
    expect(await dryRunWrite(owner, { method: "DELETE", path: `${theirs}/${name}` })).toMatchObject({ status: 200 });
    expect(await make({})).toMatchObject({ status: 201 });
  });

  test("is created with a switch only with the rights to change it", async () => {
    const answer = await make({ [`${prefix}enable-swap`]: "true" });
    expect(messageOf(answer)).toContain(reports);
  });

  test("with thousands of annotations accepts only changes outside of them", async () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`a/${at}`, ""]));
    expect(messageOf(await make(many))).toContain(
      "owner may not change more than 256 annotations on the HyperConverged",
    );
    const body = JSON.parse(hco(version, {}, { ...many, [`${prefix}enable-swap`]: "false" }, "empty")) as object;
    const made = await server.request({ method: "POST", path: folder(version, "empty"), body });
    expect(made).toMatchObject({ status: 201 });
    const crowd = `${folder(version, "empty")}/${name}`;
    const change = (who: ApiUser, metadata: object) =>
      dryRunWrite(who, { method: "PATCH", path: crowd, body: { metadata } });
    expect(await change(owner, { labels: { team: "theirs" } })).toMatchObject({ status: 200 });
    const turned = { annotations: { [`${prefix}enable-swap`]: "true" } };
    expect(await change(owner, turned)).toMatchObject({ status: 403 });
    expect(messageOf(await change(owner, { annotations: { "example.com/note": "" } }))).toContain("more than 256");
    const admin = await person(server, "owner-of-all", [all, ...everything]);
    expect(await change(admin, turned)).toMatchObject({ status: 200 });
  });
});

test("the policies protect a HyperConverged in any namespace", async () => {
  const { platform } = await readManifests(anyImage);
  for (const policy of platform.filter(({ kind }) => kind === "ValidatingAdmissionPolicy"))
    expect(JSON.stringify(policy)).not.toContain("openshift-cnv");
});
