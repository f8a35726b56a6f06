import { afterAll, beforeAll, expect, test } from "vitest";
import { type ApiUser, type Server, startServer } from "../server/server.ts";
import type { ApiResponse } from "../server/test-client.ts";
import { checkInvariants, type InvariantReport } from "./check-invariants.ts";
import { phases } from "./phase-edges.ts";

const account = "system:serviceaccount:virt-advisor-operator-system:manager";
const configs = "/apis/advisor.kubevirt.io/v1alpha1/virtplatformconfigs";
const maps = "/api/v1/namespaces/default/configmaps";

const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const crd = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "virtplatformconfigs.advisor.kubevirt.io" },
  spec: {
    group: "advisor.kubevirt.io",
    names: { kind: "VirtPlatformConfig", plural: "virtplatformconfigs" },
    scope: "Cluster",
    versions: [
      {
        name: "v1alpha1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: "object", properties: { spec: open, status: open } } },
      },
    ],
  },
};

let api: Server;
let operator: ApiUser;
beforeAll(async () => {
  api = await startServer();
  await api.installCrds([crd]);
  operator = await api.serviceAccount("virt-advisor-operator-system", "manager");
  const subjects = [{ kind: "ServiceAccount", namespace: "virt-advisor-operator-system", name: "manager" }];
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" };
  const body = { metadata: { name: "manager" }, roleRef, subjects };
  await api.request({ method: "POST", path: "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", body });
});
afterAll(() => api.stop());

const violationsOf = (): InvariantReport => checkInvariants(api.audit(), { accounts: [account] });
const invariantsBroken = () => violationsOf().violations.map(({ invariant }) => invariant);

const targetRef = { apiVersion: "v1", kind: "ConfigMap", namespace: "default", name: "target" };
const desiredState = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "target", namespace: "default" },
  data: { a: "b" },
};
const item = { name: "configure", operation: "Apply", targetRef, desiredState, diff: "+a\n" };

const edit = (spec: object) => api.request({ method: "PATCH", path: `${configs}/one`, body: { spec } });

/** A merge patch by the operator, so absent fields stay. */
const status = (observedGeneration: number, phase: string, more: object = {}) => {
  const conditions = phases.map((type) => ({ type, status: type === phase ? "True" : "False" }));
  const body = { status: { observedGeneration, phase, conditions, ...more } };
  return operator.request({ method: "PATCH", path: `${configs}/one/status?fieldManager=virt-advisor-operator`, body });
};

const apply = (metadata: object, query = "") =>
  operator.request({
    method: "PATCH",
    path: `${maps}/target?fieldManager=virt-advisor-operator-one${query}`,
    contentType: "application/apply-patch+yaml",
    body: { ...desiredState, metadata: { ...desiredState.metadata, ...metadata } },
  });

const remove = (preconditions?: object) =>
  operator.request({
    method: "DELETE",
    path: `${maps}/target`,
    body: { kind: "DeleteOptions", apiVersion: "v1", ...(preconditions !== undefined && { preconditions }) },
  });

const uidOf = ({ body }: ApiResponse) => (body as { metadata: { uid: string } }).metadata.uid;

test("finds no violation in a correct run on a real server, and each planted one", async () => {
  await expect.poll(async () => (await operator.request({ path: configs })).status).toBe(200);
  const begun = (state: object) => [{ ...item, state: "InProgress", ...state }];

  await api.request({
    method: "POST",
    path: configs,
    body: {
      apiVersion: "advisor.kubevirt.io/v1alpha1",
      kind: "VirtPlatformConfig",
      metadata: { name: "one" },
      spec: { action: "DryRun" },
    },
  });
  await status(1, "Drafting");
  await status(1, "ReviewRequired", { planHash: "h1", items: [{ ...item, state: "Pending" }] });
  expect((await apply({}, "&dryRun=All")).status).toBe(201);
  await edit({ action: "Apply" });
  await status(2, "InProgress", { executedGeneration: 2, items: begun({}) });
  const created = await apply({});
  expect(created.status).toBe(201);
  await status(2, "Completed", { items: begun({ state: "Completed" }) });

  await edit({ remove: true });
  await status(3, "Drafting");
  const removal = { operation: "Delete", desiredState: undefined, reviewed: { uid: uidOf(created) } };
  await status(3, "InProgress", { planHash: "h2", executedGeneration: 3, items: begun(removal) });
  expect((await remove({ uid: uidOf(created) })).status).toBe(200);
  await status(3, "Completed", { items: begun({ ...removal, state: "Completed" }) });
  expect(violationsOf()).toEqual({
    violations: [],
    writes: {
      "virtplatformconfigs.advisor.kubevirt.io/one/status": { creates: 0, applies: 0, updates: 7, deletes: 0 },
      "configmaps/default/target": { creates: 0, applies: 1, updates: 0, deletes: 1 },
    },
  });

  await apply({});
  expect(invariantsBroken()).toEqual(["I1"]);
  await remove();
  expect(invariantsBroken()).toEqual(["I1", "I1", "I3"]);
  await status(3, "InProgress", { items: begun({ reviewed: { uid: "gone" } }) });
  expect(invariantsBroken()).toEqual(["I1", "I1", "I1", "I3", "I4"]);
  await apply({});
  expect(violationsOf().violations).toContainEqual(expect.objectContaining({ invariant: "I2" }));
  await edit({ action: "Ignore" });
  await operator.request({ path: `${configs}/one` });
  await apply({});
  expect(violationsOf().violations).toContainEqual(expect.objectContaining({ invariant: "I6" }));
});
