// A stolen token writes the content that the catalog declares, to the objects of the catalog, and nothing else.

import type { AnyProfileFacts } from "@virt/advisor";
import type { JsonMap, KubeObject } from "@virt/api";
import { profiles } from "@virt/catalog";
import type { ApiResponse } from "@virt/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { accountName, applyManifests, type ControllerName } from "../../cluster/account.ts";
import { desiredWith, hcoWith } from "../assets/rendering.ts";
import { readMock } from "../mock-crds/definitions.ts";
import { contentAttacks, metadataAttacks } from "./content-attacks.ts";
import { bindRole, messageOf, type RightsCluster, startRightsCluster, untilDenied } from "./rights-cluster.ts";

type OwnObject = { readonly plural: string; readonly object: KubeObject };

const operators = ["advisor", "platform"] as const;
const definitions = [
  "forkliftcontrollers",
  "kubeletconfigs",
  "machineconfigs",
  "metallbs",
  "nodehealthchecks",
  "prometheusrules",
  "servicemonitors",
  "uiplugins",
  "hyperconvergeds-v1beta1",
  "kubedeschedulers-v532",
].map((name) => readMock(`${name}.yaml`));

const said = {
  "vfio-devices": '[{"selector": "10DE:1EB8", "resourceName": "nvidia.com/TU104GL_Tesla_T4"}]',
  "usb-devices": '[{"resourceName": "a.b/c", "selectors": [{"vendor": "46f4", "product": "0001"}]}]',
};
const hco = { ...hcoWith(definitions, said), spec: { evictionStrategy: "LiveMigrate" } };

function planned(): readonly OwnObject[] {
  const facts = {
    ownNamespace: "virt-advisor-operator-system",
    hco: { apiVersion: hco.apiVersion, namespace: "openshift-cnv", object: hco },
    deschedulerSchema: definitions.at(-1)?.schema,
    workerKernel: [],
    masterKernel: [],
    vmNodes: { roles: ["worker", "master"], nodes: [] },
    pools: [],
    nodes: [],
    cnv: true,
  };
  return profiles.flatMap((profile) =>
    profile.plan(undefined, facts as unknown as AnyProfileFacts).flatMap((item) => {
      if (item.operation !== "Apply") return [];
      return { plural: `${item.desired.kind.toLowerCase()}s`, object: item.desired };
    }),
  );
}

const own: Readonly<Record<ControllerName, readonly OwnObject[]>> = {
  advisor: planned(),
  platform: desiredWith(definitions, { said, podCIDR: "10.128.0.0/20" }),
};

let cluster: RightsCluster;
beforeAll(async () => {
  cluster = await startRightsCluster();
  for (const by of operators) {
    await bindRole(cluster.server, accountName(by), "cluster-admin");
    const foreign = { method: "DELETE", path: "/api/v1/namespaces/elsewhere" } as const;
    await untilDenied(cluster.accounts[by], foreign, `virt-${by}-operator-writes`);
  }
  await applyManifests(cluster.server, JSON.stringify(hco));
});
afterAll(() => cluster.server.stop());

function pathOf({ plural, object: { apiVersion, metadata } }: OwnObject): string {
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return `${root}/${metadata.namespace === undefined ? "" : `namespaces/${metadata.namespace}/`}${plural}/${metadata.name}`;
}

const apply = (by: ControllerName, one: OwnObject, query = ""): Promise<ApiResponse> =>
  cluster.accounts[by].request({
    method: "PATCH",
    path: `${pathOf(one)}?fieldManager=virt-${by}-operator&force=true${query}`,
    contentType: "application/apply-patch+yaml",
    body: one.object,
  });

const edit = (by: ControllerName, one: OwnObject, body: JsonMap): Promise<ApiResponse> =>
  cluster.accounts[by].request({ method: "PATCH", path: `${pathOf(one)}?dryRun=All`, body });

const refusal = (by: ControllerName) => `ValidatingAdmissionPolicy 'virt-${by}-operator-writes'`;

const titled = (by: ControllerName) =>
  own[by].map((one) => ({ title: `${one.object.kind} ${one.object.metadata.name}`, one }));

describe.each(operators)("the token of the %s, with all rights of the cluster,", (by) => {
  const created = titled(by).filter(({ one }) => one.object.kind !== "HyperConverged");

  test.each(created)("creates $title by apply and with its content only", async ({ one }) => {
    const posted = {
      method: "POST",
      path: `${pathOf(one).replace(/\/[^/]+$/, "")}?dryRun=All`,
      body: one.object,
    } as const;
    expect(messageOf(await cluster.accounts[by].request(posted))).toContain(refusal(by));
    const { labels } = one.object.metadata;
    const metadata = { ...one.object.metadata, labels: { ...labels, hostile: "true" } };
    const labelled = await apply(by, { ...one, object: { ...one.object, metadata } }, "&dryRun=All");
    expect(messageOf(labelled)).toContain("may not write metadata.labels");
  });

  const filled = created.filter(({ one }) => !["MetalLB", "ForkliftController"].includes(one.object.kind));
  test.each(filled)("cannot create $title without content", async ({ one }) => {
    const { spec: _spec, data: _data, ...rest } = one.object;
    const root = one.object.kind === "ConfigMap" ? { data: {} } : { spec: {} };
    const empty = await apply(by, { ...one, object: { ...rest, ...root } }, "&dryRun=All");
    expect(messageOf(empty)).toMatch(/ValidatingAdmissionPolicy|is invalid/);
  });
});

describe.each(operators)("on the objects of the catalog the token of the %s", (by) => {
  beforeAll(async () => {
    for (const one of own[by]) {
      const message = messageOf(await apply(by, one));
      if (message !== "") throw new Error(message);
    }
  });

  test.each(titled(by))("writes $title again, and over changes of other clients", async ({ one }) => {
    expect(await apply(by, one)).toMatchObject({ status: 200 });
    const body = { metadata: { labels: { theirs: "true" }, annotations: { "example.com/theirs": "true" } } };
    await cluster.server.request({ method: "PATCH", path: pathOf(one), body });
    expect(messageOf(await apply(by, one))).toBe("");
    const removed = { metadata: { labels: { theirs: null }, annotations: { "example.com/theirs": null } } };
    expect(messageOf(await edit(by, one, removed))).toContain("may not write metadata.labels, metadata.annotations");
  });

  const attacks = [
    ...titled(by).flatMap(({ title, one }) =>
      Object.entries(metadataAttacks).map(([attack, body]) => ({ title, attack, one, body })),
    ),
    ...contentAttacks[by].flatMap(({ attack, on, body }) =>
      titled(by)
        .filter(({ one }) => one.object.kind === on)
        .map(({ title, one }) => ({ title, attack, one, body })),
    ),
  ];

  test("is tried in at least 40 ways, none of which lacks its object", () => {
    expect(contentAttacks[by].filter(({ on }) => !own[by].some(({ object }) => object.kind === on))).toEqual([]);
    expect(new Set(attacks.map(({ attack, one }) => `${attack} ${one.object.kind}`)).size).toBeGreaterThanOrEqual(40);
  });

  test.concurrent.each(attacks)("cannot $attack: $title", async ({ one, body }) => {
    const answer = await edit(by, one, body);
    expect(messageOf(answer)).toContain(refusal(by));
    expect(answer.status).toBe(403);
  });
});

test("an operator's token writes its own events only", async () => {
  const event = (reportingController: string) => ({
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    metadata: { name: "lie", namespace: "openshift-cnv" },
    eventTime: "2026-01-01T00:00:00.000000Z",
    regarding: { kind: "HyperConverged", name: "kubevirt-hyperconverged", namespace: "openshift-cnv" },
    type: "Normal",
    reason: "Lie",
    action: "Lie",
    reportingController,
    reportingInstance: "thief",
  });
  const path = "/apis/events.k8s.io/v1/namespaces/openshift-cnv/events?dryRun=All";
  for (const by of operators) {
    const post = (author: string) => cluster.accounts[by].request({ method: "POST", path, body: event(author) });
    expect(await post(`virt-${by}-operator`)).toMatchObject({ status: 201 });
    expect(messageOf(await post("machine-config-controller"))).toContain(refusal(by));
  }
});

test("the platform operator's token deletes only objects that carry its label", async () => {
  const [metallb] = own.platform.filter(({ object }) => object.kind === "MetalLB") as [OwnObject];
  const remove = { method: "DELETE", path: `${pathOf(metallb)}?dryRun=All` } as const;
  expect(await cluster.accounts.platform.request(remove)).toMatchObject({ status: 200 });
  const body = { metadata: { labels: { "platform.kubevirt.io/managed-by": null } } };
  await cluster.server.request({ method: "PATCH", path: pathOf(metallb), body });
  expect(messageOf(await cluster.accounts.platform.request(remove))).toContain("it does not carry the label");
});

describe("a patch annotation of a person", () => {
  const [monitor] = own.platform.filter(({ object }) => object.kind === "ServiceMonitor") as [OwnObject];
  const patched = {
    ...monitor,
    object: { ...monitor.object, spec: { ...(monitor.object["spec"] as JsonMap), jobLabel: "app" } },
  };
  const annotate = (value: string | null) =>
    cluster.server.request({
      method: "PATCH",
      path: pathOf(monitor),
      body: { metadata: { annotations: { "platform.kubevirt.io/patch": value } } },
    });

  test("lets the platform operator write other content, and take it back when the patch is gone", async () => {
    expect(await apply("platform", patched)).toMatchObject({ status: 403 });
    await annotate('[{"op": "add", "path": "/spec/jobLabel", "value": "app"}]');
    expect(messageOf(await apply("platform", patched))).toBe("");
    expect(await edit("platform", monitor, { metadata: { ownerReferences: [{ name: "a" }] } })).not.toMatchObject({
      status: 200,
    });
    const own = { metadata: { annotations: { "platform.kubevirt.io/mode": "unmanaged" } } };
    expect(messageOf(await edit("platform", monitor, own))).toContain(refusal("platform"));
    await annotate(null);
    expect(await edit("platform", monitor, { spec: { jobLabel: "hostile" } })).toMatchObject({ status: 403 });
    expect(messageOf(await apply("platform", monitor))).toBe("");
    const { body } = await cluster.server.request({ path: pathOf(monitor) });
    expect((body as KubeObject)["spec"]).not.toHaveProperty("jobLabel");
  });

  test("that another client owns a field keeps the operator from removing it", async () => {
    const path = `${pathOf(monitor)}?fieldManager=person`;
    await cluster.server.request({ method: "PATCH", path, body: { spec: { jobLabel: "theirs" } } });
    expect(messageOf(await edit("platform", monitor, { spec: { jobLabel: null } }))).toContain("may not write spec of");
    expect(messageOf(await apply("platform", monitor))).toBe("");
  });
});
