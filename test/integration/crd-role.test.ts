import { readFileSync } from "node:fs";
import { type ApiUser, inRepository, type Server, startServer } from "@virt/testkit";
import { loadAll } from "js-yaml";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { mockFiles } from "../../tools/demo/mocks.ts";
import { routeCrd } from "../support/monitoring.ts";
import { crdFile } from "./crd-objects.ts";

/** Includes the role of example-profile, whose target is easy to write. */
const files = ["advisor", "example-profile"].map((folder) => inRepository("config", "rbac", folder, "role.yaml"));
const patience = { timeout: 120_000 }; // a hang guard
const namespace = "virt-advisor-operator-system";
const rbac = "rbac.authorization.k8s.io";
const configs = "/apis/advisor.kubevirt.io/v1alpha1/virtplatformconfigs";
const leases = (where: string) => `/apis/coordination.k8s.io/v1/namespaces/${where}/leases`;
const lease = `${leases(namespace)}/8f83cc6e.kubevirt.io`;

type Role = {
  readonly kind: "ClusterRole" | "Role";
  readonly metadata: { readonly name: string };
  readonly rules: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
  }[];
};

const roles = files.flatMap((file) => loadAll(readFileSync(file, "utf8")) as unknown as readonly Role[]);

let server: Server;
let advisor: ApiUser;

beforeAll(async () => {
  server = await startServer();
  await server.installCrds([crdFile, routeCrd, ...mockFiles()]);
  advisor = await server.serviceAccount(namespace, "advisor");
  await post("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "elsewhere" } });
  for (const file of files) await server.kubectl("apply", "-f", file);
  await Promise.all(roles.map(bind));
  await vi.waitFor(isGranted, patience);
});

afterAll(() => server.stop());

async function post(path: string, body: object): Promise<void> {
  expect(await server.request({ method: "POST", path, body })).toMatchObject({ status: 201 });
}

// A new binding takes effect after some milliseconds.
async function isGranted(): Promise<void> {
  const [ofCluster, ofNamespace] = await Promise.all([configs, lease].map((path) => advisor.request({ path })));
  if (ofCluster?.status !== 200 || ofNamespace?.status !== 404) throw new Error("not yet");
}

async function bind({ kind, metadata: { name } }: Role): Promise<void> {
  const inside = kind === "Role" ? `/namespaces/${namespace}` : "";
  await post(`/apis/${rbac}/v1${inside}/${kind.toLowerCase()}bindings`, {
    apiVersion: `${rbac}/v1`,
    kind: `${kind}Binding`,
    metadata: { name },
    roleRef: { apiGroup: rbac, kind, name },
    subjects: [{ kind: "ServiceAccount", namespace, name: "advisor" }],
  });
}

test("kubectl applies the roles without a warning", async () => {
  for (const file of files) expect(await server.kubectl("apply", "-f", file)).toMatchObject({ code: 0, stderr: "" });
});

test("no rule contains a wildcard", () => {
  const words = roles.flatMap(({ rules }) => rules.flatMap((rule) => Object.values(rule).flat()));
  expect(words.filter((word) => word.includes("*"))).toEqual([]);
});

test("every kind in a rule exists on the API server", async () => {
  const named = roles.flatMap(({ rules }) =>
    rules.flatMap(({ apiGroups: [group = ""], resources }) =>
      resources.map((one) => (group ? `${one}.${group}` : one)),
    ),
  );
  const { stdout } = await server.kubectl("api-resources", "-o", "name");
  const served = stdout.trimEnd().split("\n");
  expect(named.filter((one) => !one.includes("/") && !served.includes(one))).toEqual([]);
});

const machineConfigs = "/apis/machineconfiguration.openshift.io/v1/machineconfigs";
const hcos = "/apis/hco.kubevirt.io/v1beta1/hyperconvergeds";
const configMaps = "/api/v1/namespaces/elsewhere/configmaps";

const readings = [
  { reason: "lists its own configs", path: configs, may: true },
  {
    reason: "lists one MachineConfig by name",
    path: `${machineConfigs}?fieldSelector=metadata.name=99-worker-psi-karg`,
    may: true,
  },
  {
    reason: "reads a rendered MachineConfig of any name",
    path: `${machineConfigs}/rendered-worker-1`,
    may: true,
  },
  { reason: "cannot list all MachineConfigs", path: machineConfigs, may: false },
  {
    reason: "lists its ConfigMap by name",
    path: `/api/v1/configmaps?fieldSelector=metadata.name=example-config`,
    may: true,
  },
  { reason: "cannot read other ConfigMaps", path: `${configMaps}/other`, may: false },
  { reason: "cannot list ConfigMaps", path: "/api/v1/configmaps", may: false },
  { reason: "cannot read Secrets", path: "/api/v1/secrets", may: false },
  {
    reason: "finds HyperConverged in any namespace",
    path: `${hcos}?fieldSelector=metadata.name=kubevirt-hyperconverged`,
    may: true,
  },
  { reason: "lists nodes", path: "/api/v1/nodes", may: true },
  {
    reason: "reads wasp-agent in any namespace",
    path: "/apis/apps/v1/namespaces/elsewhere/daemonsets/wasp-agent",
    may: true,
  },
];

test.each(readings)("the advisor $reason", async ({ path, may }) => {
  const { status } = await advisor.request({ path });
  expect([200, 404].includes(status)).toBe(may);
  expect(status === 403).toBe(!may);
});

const apply = (path: string, kind: string) => {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const apiVersion = path.startsWith("/api/") ? "v1" : path.split("/").slice(2, 4).join("/");
  return advisor.request({
    method: "PATCH",
    path: `${path}?fieldManager=virt-advisor-operator`,
    contentType: "application/apply-patch+yaml",
    body: { apiVersion, kind, metadata: { name } },
  });
};

test("the advisor creates its targets by server-side apply", async () => {
  expect(await apply(`${configMaps}/example-config`, "ConfigMap")).toMatchObject({ status: 201 });
  expect(await apply(`${machineConfigs}/99-worker-psi-karg`, "MachineConfig")).toMatchObject({ status: 201 });
});

test("the advisor deletes only its own MachineConfigs", async () => {
  await apply(`${machineConfigs}/90-worker-kubelet-swap`, "MachineConfig");
  await apply(`${configMaps}/example-config`, "ConfigMap");
  const remove = async (path: string) => (await advisor.request({ method: "DELETE", path })).status;
  expect(await remove(`${machineConfigs}/90-worker-kubelet-swap`)).toBe(200);
  expect(await remove(`${machineConfigs}/00-worker`)).toBe(403);
  expect(await remove(`${configMaps}/example-config`)).toBe(403);
});

test("the advisor cannot write other objects of its target kinds", async () => {
  expect(await apply(`${configMaps}/other`, "ConfigMap")).toMatchObject({ status: 403 });
  expect(await apply(`${machineConfigs}/00-worker`, "MachineConfig")).toMatchObject({ status: 403 });
});

test("the advisor creates configs and writes their status, not their spec", async () => {
  const name = "example-profile";
  const body = {
    apiVersion: "advisor.kubevirt.io/v1alpha1",
    kind: "VirtPlatformConfig",
    metadata: { name },
    spec: { profile: name, action: "Ignore" },
  };
  const patch = (path: string, change: object) => advisor.request({ method: "PATCH", path, body: change });
  const made = await advisor.request({ method: "POST", path: configs, body });
  expect(made).toMatchObject({ status: 201 });
  const said = { ...(made.body as object), status: { phase: "Ignored" } };
  const report = { method: "PUT", path: `${configs}/${name}/status`, body: said } as const;
  expect(await advisor.request(report)).toMatchObject({ status: 200 });
  expect(await patch(`${configs}/${name}`, { spec: { action: "Apply" } })).toMatchObject({ status: 403 });
});

test("the advisor writes its lease only in its own namespace", async () => {
  const body = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "8f83cc6e.kubevirt.io" } };
  const create = (where: string) => advisor.request({ method: "POST", path: leases(where), body });
  const made = await create(namespace);
  expect(made).toMatchObject({ status: 201 });
  expect(await advisor.request({ method: "PUT", path: lease, body: made.body })).toMatchObject({ status: 200 });
  expect(await create("elsewhere")).toMatchObject({ status: 403 });
});
