import type { Json, JsonMap, KubeObject } from "@virt/api";
import { equalJson, isMap } from "@virt/objects";
import type { ApiResponse } from "@virt/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ControllerName } from "../../support/account.ts";
import { contentAttacks, metadataAttacks } from "./content-attacks.ts";
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
});
afterAll(() => cluster.server.stop());

const apply = (by: ControllerName, one: OwnObject, query = ""): Promise<ApiResponse> =>
  applyAs(cluster.accounts[by], by, one, query);

const edit = (by: ControllerName, one: OwnObject, body: JsonMap): Promise<ApiResponse> =>
  cluster.accounts[by].request({
    method: "PATCH",
    path: `${pathOf(one)}?dryRun=All&fieldManager=virt-${by}-operator`,
    body,
  });

/** Applies a merge patch but keeps nulls. */
function merged(value: Json | undefined, patch: Json): Json {
  if (!isMap(value) || !isMap(patch)) return patch;
  const changed = Object.entries(patch).map(([key, one]) => [key, merged(value[key], one ?? null)] as const);
  return { ...value, ...Object.fromEntries(changed) };
}

/** The API server drops some nulls of an apply. Then nothing changes, or the operator releases its own content. */
async function isHarmless(by: ControllerName, one: OwnObject, answer: ApiResponse): Promise<boolean> {
  const { spec: _spec, data: _data, ...bare } = one.object;
  const live = await cluster.server.request({ path: pathOf(one) });
  const released = await apply(by, { ...one, object: bare }, "&dryRun=All");
  const isLike = ({ body }: ApiResponse) => equalJson(contentOf(body), contentOf(answer.body));
  return answer.status === 200 && [live, released].some(isLike);
}

function contentOf(body: unknown): Json {
  const { metadata, ...content } = body as JsonMap;
  const { managedFields: _managed, ...rest } = metadata as JsonMap;
  return { ...content, metadata: rest };
}

const refusal = (by: ControllerName) => `ValidatingAdmissionPolicy 'virt-${by}-operator-writes`;

const titled = (by: ControllerName) =>
  own[by].map((one) => ({ title: `${one.object.kind} ${one.object.metadata.name}`, one }));

describe.each(operators)("the token of the %s with all cluster rights", (by) => {
  const created = titled(by).filter(({ one }) => one.object.kind !== "HyperConverged");

  test.each(created)("creates $title only by apply and only with its content", async ({ one }) => {
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

describe.each(operators)("on catalog objects, the token of the %s", (by) => {
  beforeAll(async () => {
    for (const one of own[by]) {
      const message = messageOf(await apply(by, one));
      if (message !== "") throw new Error(message);
    }
  });

  test.each(titled(by))("writes $title again, also over other clients' changes", async ({ one }) => {
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
        .filter(({ title }) => `${title} `.startsWith(`${on} `))
        .map(({ title, one }) => ({ title, attack, one, body })),
    ),
  ];

  test("is used for at least 40 attacks, each with a target", () => {
    const isAimed = (on: string) => titled(by).some(({ title }) => `${title} `.startsWith(`${on} `));
    expect(contentAttacks[by].filter(({ on }) => !isAimed(on))).toEqual([]);
    expect(new Set(attacks.map(({ attack, one }) => `${attack} ${one.object.kind}`)).size).toBeGreaterThanOrEqual(40);
  });

  test.concurrent.each(attacks)("cannot $attack: $title", async ({ one, body }) => {
    const answer = await edit(by, one, body);
    expect(messageOf(answer)).toContain(refusal(by));
    expect(answer.status).toBe(403);
  });

  test.concurrent.each(attacks)("cannot $attack by an apply: $title", async ({ one, body }) => {
    const answer = await apply(by, { ...one, object: merged(one.object, body) as KubeObject }, "&dryRun=All");
    const result = (await isHarmless(by, one, answer)) ? "harmless" : messageOf(answer);
    expect(result).toMatch(/harmless|ValidatingAdmissionPolicy|is invalid|failed to/);
  });
});

test("an operator's token writes only its own events", async () => {
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
  const metallb = ownObject("platform", "MetalLB");
  const remove = { method: "DELETE", path: `${pathOf(metallb)}?dryRun=All` } as const;
  expect(await cluster.accounts.platform.request(remove)).toMatchObject({ status: 200 });
  const body = { metadata: { labels: { "platform.kubevirt.io/managed-by": null } } };
  await cluster.server.request({ method: "PATCH", path: pathOf(metallb), body });
  expect(messageOf(await cluster.accounts.platform.request(remove))).toContain("it does not have the label");
  // As documented in the security model.
  const marked = { metadata: { labels: { "platform.kubevirt.io/managed-by": "virt-platform-operator" } } };
  expect(messageOf(await edit("platform", metallb, marked))).toBe("");
});

describe("a user's patch annotation", () => {
  const monitor = ownObject("platform", "ServiceMonitor");
  const patched = {
    ...monitor,
    object: { ...monitor.object, spec: { ...(monitor.object["spec"] as JsonMap), jobLabel: "app" } },
  };

  test("allows other content, and its removal after the patch is gone", async () => {
    expect(await apply("platform", patched)).toMatchObject({ status: 403 });
    await setPatch(cluster, monitor, '[{"op": "add", "path": "/spec/jobLabel", "value": "app"}]');
    expect(messageOf(await apply("platform", patched))).toBe("");
    expect(await edit("platform", monitor, { metadata: { ownerReferences: [{ name: "a" }] } })).not.toMatchObject({
      status: 200,
    });
    const own = { metadata: { annotations: { "platform.kubevirt.io/mode": "unmanaged" } } };
    expect(messageOf(await edit("platform", monitor, own))).toContain(refusal("platform"));
    await setPatch(cluster, monitor, null);
    expect(await edit("platform", monitor, { spec: { jobLabel: "hostile" } })).toMatchObject({ status: 403 });
    expect(messageOf(await apply("platform", monitor))).toBe("");
    const { body } = await cluster.server.request({ path: pathOf(monitor) });
    expect((body as KubeObject)["spec"]).not.toHaveProperty("jobLabel");
  });

  test.each([
    ["MachineConfig", "machineconfiguration.openshift.io/role", "infra"],
    ["PrometheusRule", "prometheus", "mine"],
  ])("on a %s allows a change of label %s and its reversal", async (kind, key, value) => {
    const one = ownObject("platform", kind);
    const { metadata } = one.object;
    const labelled = {
      ...one,
      object: { ...one.object, metadata: { ...metadata, labels: { ...metadata.labels, [key]: value } } },
    };
    const marked = { metadata: { labels: { "platform.kubevirt.io/managed-by": "hostile" } } };
    expect(messageOf(await apply("platform", labelled))).toContain(`may not write metadata.labels.${key}`);
    const label = `/metadata/labels/${key.replace("/", "~1")}`;
    await setPatch(cluster, one, `[{"op": "replace", "path": "${label}", "value": "${value}"}]`);
    expect(messageOf(await apply("platform", labelled))).toBe("");
    expect(messageOf(await edit("platform", one, marked))).toContain(
      "may not write metadata.labels.platform.kubevirt.io",
    );
    await setPatch(cluster, one, null);
    expect(messageOf(await apply("platform", one))).toBe("");
    expect(messageOf(await apply("platform", labelled))).toContain(`may not write metadata.labels.${key}`);
  });

  test("does not let the operator remove another client's field", async () => {
    const path = `${pathOf(monitor)}?fieldManager=person`;
    await cluster.server.request({ method: "PATCH", path, body: { spec: { jobLabel: "theirs" } } });
    expect(messageOf(await edit("platform", monitor, { spec: { jobLabel: null } }))).toContain("may not write spec of");
    expect(messageOf(await apply("platform", monitor))).toBe("");
  });
});
