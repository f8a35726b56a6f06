// An attacker has an operator's token: first with its shipped rights, then with all rights but subject to the policies.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { accountName, applyManifests, type ControllerName } from "../../support/account.ts";
import { collectionOf, type ForeignObject, foreignTo, foreignToBoth, objectOf, pathOf } from "./foreign-objects.ts";
import {
  bindRole,
  dryRunWrite,
  messageOf,
  type RightsCluster,
  startRightsCluster,
  untilDenied,
  type Write,
} from "./rights-cluster.ts";

let cluster: RightsCluster;
const operators = ["advisor", "platform"] as const;
const all: readonly ForeignObject[] = [...new Set([...foreignToBoth, ...foreignTo.advisor, ...foreignTo.platform])];

beforeAll(async () => {
  cluster = await startRightsCluster();
  const stored = [...all, ...own].map((one) => `${JSON.stringify(objectOf(one))}\n`);
  await applyManifests(cluster.server, stored.join("---\n"));
});
afterAll(() => cluster.server.stop());

const hco: ForeignObject = {
  apiVersion: "hco.kubevirt.io/v1beta1",
  kind: "HyperConverged",
  plural: "hyperconvergeds",
  namespace: "openshift-cnv",
  name: "kubevirt-hyperconverged",
};
const descheduler: ForeignObject = {
  apiVersion: "operator.openshift.io/v1",
  kind: "KubeDescheduler",
  plural: "kubedeschedulers",
  namespace: "openshift-kube-descheduler-operator",
  name: "cluster",
  rest: { spec: {} },
};
const own = [hco, descheduler];

const hostile = { metadata: { labels: { hostile: "true" } } };
const create = (one: ForeignObject): Write => ({ method: "POST", path: collectionOf(one), body: objectOf(one) });
const edit = (one: ForeignObject, sub = ""): Write => ({
  method: "PATCH",
  path: `${pathOf(one)}${sub}`,
  body: hostile,
});
const remove = (path: string): Write => ({ method: "DELETE", path });

type ForbiddenWrite = Write & { readonly reason: string };

function forbiddenWritesTo(one: ForeignObject): readonly ForbiddenWrite[] {
  const what = `${one.kind} ${one.namespace === undefined ? "" : `${one.namespace}/`}${one.name}`;
  return [
    { reason: `create ${what}`, ...create(one) },
    { reason: `change ${what}`, ...edit(one) },
    { reason: `delete ${what}`, ...remove(pathOf(one)) },
  ];
}

const pod = "/api/v1/namespaces/elsewhere/pods/program";
const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "program", namespace: "elsewhere" } };
const tokenRequest = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
const coreEvent = {
  apiVersion: "v1",
  kind: "Event",
  metadata: { name: "lie", namespace: "elsewhere" },
  involvedObject: { kind: "Pod", name: "program", namespace: "elsewhere" },
};
const machineConfigs = "/apis/machineconfiguration.openshift.io/v1/machineconfigs";
const pool = "/apis/machineconfiguration.openshift.io/v1/machineconfigpools/worker";
const configs = "/apis/advisor.kubevirt.io/v1alpha1/virtplatformconfigs";
const configMaps = "/api/v1/namespaces/elsewhere/configmaps";

const otherWays: readonly ForbiddenWrite[] = [
  {
    reason: "create a token for another account",
    method: "POST",
    path: "/api/v1/namespaces/elsewhere/serviceaccounts/default/token",
    body: tokenRequest,
  },
  { reason: "evict a pod", method: "POST", path: `${pod}/eviction`, body: eviction },
  { reason: "change the status of a node", method: "PATCH", path: "/api/v1/nodes/worker-1/status", body: hostile },
  {
    reason: "scale a Deployment",
    method: "PATCH",
    path: "/apis/apps/v1/namespaces/elsewhere/deployments/program/scale",
    body: { spec: { replicas: 9 } },
  },
  { reason: "change the status of a pool", method: "PATCH", path: `${pool}/status`, body: hostile },
  { reason: "change the status of HyperConverged", method: "PATCH", path: `${pathOf(hco)}/status`, body: hostile },
  { reason: "delete HyperConverged", ...remove(pathOf(hco)) },
  { reason: "delete all MachineConfigs", ...remove(machineConfigs) },
  { reason: "delete all ConfigMaps of a namespace", ...remove(configMaps) },
  {
    reason: "write an event of core/v1",
    method: "POST",
    path: "/api/v1/namespaces/elsewhere/events",
    body: coreEvent,
  },
  {
    reason: "change a user's config",
    method: "PATCH",
    path: `${configs}/load-aware-rebalancing`,
    body: hostile,
  },
  { reason: "delete all configs", ...remove(configs) },
];

const particular: Readonly<Record<ControllerName, readonly ForbiddenWrite[]>> = {
  advisor: [{ reason: "delete the KubeDescheduler", ...remove(pathOf(descheduler)) }],
  platform: [
    { reason: "create HyperConverged", ...create(hco) },
    {
      reason: "report the outcome of a plan",
      method: "PATCH",
      path: `${configs}/load-aware-rebalancing/status`,
      body: { status: { phase: "Completed" } },
    },
  ],
};

const crimesOf = (by: ControllerName): readonly ForbiddenWrite[] => {
  const things: readonly ForeignObject[] = [...foreignToBoth, ...foreignTo[by]];
  return [...things.flatMap(forbiddenWritesTo), ...otherWays, ...particular[by]];
};

test("tries at least 60 writes with each token", () => {
  for (const by of operators) expect(crimesOf(by).length).toBeGreaterThanOrEqual(60);
});

// A policy can restrict the namespace and the name of a POST. A role cannot.
describe.each(operators)("the token of the %s with its shipped rights", (by) => {
  test.concurrent.each(crimesOf(by))("cannot $reason", async (crime) => {
    expect(await dryRunWrite(cluster.accounts[by], crime)).toMatchObject({ status: 403 });
  });
});

describe.each(operators)("the token of the %s with all cluster rights", (by) => {
  beforeAll(async () => {
    await bindRole(cluster.server, accountName(by), "cluster-admin");
    await untilDenied(cluster.accounts[by], crimesOf(by)[0] as ForbiddenWrite, `virt-${by}-operator-writes`);
  });
  test.concurrent.each(crimesOf(by))("cannot $reason", async (crime) => {
    const answer = await dryRunWrite(cluster.accounts[by], crime);
    // If two policies deny the request, the API server names either.
    const policies = [`virt-${by}-operator-writes`, "virt-advisor-operator-status"];
    const naming = policies.filter((policy) => messageOf(answer).includes(`ValidatingAdmissionPolicy '${policy}`));
    expect(naming).toHaveLength(1);
    expect(answer.status).toBe(403);
  });
});

test("the advisor cannot create a config that runs at once", async () => {
  const profile = "virt-higher-density";
  const spec = { profile, action: "Apply" };
  const body = { apiVersion: "advisor.kubevirt.io/v1alpha1", kind: "VirtPlatformConfig", metadata: { name: profile } };
  const make = (given: object) =>
    dryRunWrite(cluster.accounts.advisor, {
      method: "POST",
      path: configs,
      body: { ...body, spec: { ...spec, ...given } },
    });
  expect(messageOf(await make({}))).toContain("may only create configs with action Ignore");
  expect(await make({ action: "Ignore", approvedPlan: "a".repeat(64) })).toMatchObject({ status: 403 });
  expect(await make({ action: "Ignore" })).toMatchObject({ status: 201 });
});

test("the advisor can change only the documentation link of an advertised config", async () => {
  const path = `${configs}/load-aware-rebalancing`;
  const annotate = (annotations: object) =>
    dryRunWrite(cluster.accounts.advisor, { method: "PATCH", path, body: { metadata: { annotations } } });
  const url = "advisor.kubevirt.io/documentation-url";
  expect(await annotate({ [url]: "https://docs.example/LOADAWARE_PROFILE" })).toMatchObject({ status: 200 });
  expect(await annotate({ [url]: "javascript:alert(1)" })).toMatchObject({ status: 403 });
  expect(await annotate({ "advisor.kubevirt.io/description": "other" })).toMatchObject({ status: 403 });
  for (const spec of [
    { action: "Apply" },
    { action: "Ignore", bypassOptimisticLock: true },
    { approvedPlan: "a".repeat(64) },
  ])
    expect(await dryRunWrite(cluster.accounts.advisor, { method: "PATCH", path, body: { spec } })).toMatchObject({
      status: 403,
    }); // oxlint-disable-line no-await-in-loop -- one after another
});

test("other clients can still write", async () => {
  const somebody = cluster.server.user("somebody", ["system:masters"]);
  for (const one of all) expect(await dryRunWrite(somebody, edit(one))).toMatchObject({ status: 200 });
});
