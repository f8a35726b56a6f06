// @module-tag thorough

import { existsSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Server, startServer } from "./server.ts";

let api: Server;
beforeAll(async () => {
  api = await startServer();
});
afterAll(() => api.stop());

const namespace = (name: string, labels = {}) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name, labels } });

test("runs the pinned version of the API server", async () => {
  expect((await api.request({ path: "/version" })).body).toMatchObject({ gitVersion: "v1.36.3" });
});

test("rejects clients without credentials of its own CA", async () => {
  await using other = await startServer();
  await expect(fetch(`${api.url}/api/v1/namespaces`)).rejects.toThrow("fetch failed"); // not from a public CA
  const stranger = await other.kubectl("--server", api.url, "--insecure-skip-tls-verify", "get", "namespaces");
  expect(stranger.code).not.toBe(0);
});

test("a new user has no rights before a role grants them", async () => {
  const ann = api.user("ann", ["testers"]);
  expect((await ann.request({ path: "/api/v1/namespaces" })).status).toBe(403);

  const ref = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" };
  const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "testers" }];
  const binding = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: "testers-view" },
    roleRef: { ...ref, name: "testers" },
    subjects,
  };
  const rules = [{ apiGroups: [""], resources: ["namespaces"], verbs: ["list"] }];
  const role = { apiVersion: ref.apiGroup + "/v1", kind: "ClusterRole", metadata: { name: "testers" }, rules };
  for (const body of [role, binding]) {
    const path = `/apis/rbac.authorization.k8s.io/v1/${body.kind.toLowerCase()}s`;
    expect((await api.request({ method: "POST", path, body })).status).toBe(201);
  }
  await expect.poll(async () => (await ann.request({ path: "/api/v1/namespaces" })).status).toBe(200);
  expect((await ann.request({ path: "/api/v1/nodes" })).status).toBe(403);
});

test("a ServiceAccount token belongs to its account only", async () => {
  const account = await api.serviceAccount("team", "robot");
  const review = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token: account.token } };
  const answer = await api.request({
    method: "POST",
    path: "/apis/authentication.k8s.io/v1/tokenreviews",
    body: review,
  });
  expect(answer.body).toMatchObject({
    status: { authenticated: true, user: { username: "system:serviceaccount:team:robot" } },
  });
  expect((await account.kubectl("auth", "whoami", "-o", "name")).code).toBe(0);
  expect((await account.request({ path: "/api/v1/nodes" })).status).toBe(403);
});

test("PodSecurity rejects a privileged pod in a restricted namespace", async () => {
  const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
  await api.request({ method: "POST", path: "/api/v1/namespaces", body: namespace("restricted", labels) });
  await api.serviceAccount("restricted", "default");
  const containers = [{ name: "main", image: "example.invalid/image", securityContext: { privileged: true } }];
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "bold" }, spec: { containers } };
  const answer = await api.request({ method: "POST", path: "/api/v1/namespaces/restricted/pods", body: pod });
  expect(answer).toMatchObject({ status: 403, body: { message: expect.stringContaining("violates PodSecurity") } });
});

test("enforces a ValidatingAdmissionPolicy", async () => {
  const apiVersion = "admissionregistration.k8s.io/v1";
  const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] };
  const policy = {
    apiVersion,
    kind: "ValidatingAdmissionPolicy",
    metadata: { name: "no-poison" },
    spec: {
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression: "object.metadata.name != 'poison'", message: "poison is not allowed" }],
    },
  };
  const binding = {
    apiVersion,
    kind: "ValidatingAdmissionPolicyBinding",
    metadata: { name: "no-poison" },
    spec: { policyName: "no-poison", validationActions: ["Deny"] },
  };
  const base = `/apis/${apiVersion}`;
  await api.request({ method: "POST", path: `${base}/validatingadmissionpolicies`, body: policy });
  await api.request({ method: "POST", path: `${base}/validatingadmissionpolicybindings`, body: binding });
  const create = (name: string) => {
    const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name } };
    return api.request({ method: "POST", path: "/api/v1/namespaces/default/configmaps?dryRun=All", body });
  };
  // A policy takes effect shortly after it is stored.
  await expect
    .poll(async () => (await create("poison")).body)
    .toMatchObject({
      message: expect.stringContaining("poison is not allowed"),
    });
  expect((await create("bread")).status).toBe(201);
});

test("the audit log has all requests, and bodies of our controllers only", async () => {
  const robot = await api.serviceAccount("virt-advisor-operator-system", "manager");
  const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
  const body = { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview", spec: {} };
  const spec = { resourceAttributes: { verb: "get", resource: "audited" } };
  for (const actor of [robot, api]) await actor.request({ method: "POST", path, body: { ...body, spec } });
  const seen = api.audit().filter((event) => event.requestURI === path);
  expect(seen.map((event) => [event.user.username, event.verb, event.requestObject !== undefined])).toEqual([
    ["system:serviceaccount:virt-advisor-operator-system:manager", "create", true],
    ["admin", "create", false],
  ]);
});

test("a CRD is usable after its installation and gone after its removal", async () => {
  const crd = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "things.example.org" },
    spec: {
      group: "example.org",
      names: { kind: "Thing", plural: "things" },
      scope: "Cluster",
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
    },
  };
  const thing = { apiVersion: "example.org/v1", kind: "Thing", metadata: { name: "one" } };
  for (let round = 0; round < 5; round++) {
    await api.installCrds([crd]);
    expect((await api.request({ method: "POST", path: "/apis/example.org/v1/things", body: thing })).status).toBe(201);
    await api.removeCrd(crd);
    expect((await api.request({ path: "/apis/example.org/v1/things" })).status).toBe(404);
  }
});

test("reports why the API server rejects a CRD", async () => {
  const names = { kind: "Thing", plural: "things" };
  const crd = { metadata: { name: "wrong.example.org" }, spec: { group: "example.org", names, versions: [] } };
  await expect(api.installCrds([crd])).rejects.toThrow("cannot install wrong.example.org");
});

test("several servers are independent", async () => {
  await using first = await startServer();
  await using second = await startServer();
  await first.request({ method: "POST", path: "/api/v1/namespaces", body: namespace("only-here") });
  const path = "/api/v1/namespaces/only-here";
  expect([(await first.request({ path })).status, (await second.request({ path })).status]).toEqual([200, 404]);
});

test("stopped servers leave no process and no file", async () => {
  for (let round = 0; round < 3; round++) {
    const server = await startServer();
    const processes = [server.keeper, ...server.pids];
    expect(processes.map(isAlive)).toEqual([true, true, true]);
    await server.stop();
    expect(processes.map(isAlive)).toEqual([false, false, false]);
    expect(existsSync(server.folder)).toBe(false);
  }
});

function isAlive(pid: number): boolean {
  return existsSync(`/proc/${pid}`);
}
