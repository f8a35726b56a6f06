import type { Action } from "@virt/api";
import type { ApiResponse, ApiUser } from "@virt/testkit";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { accountName, applyManifests } from "../../support/account.ts";
import { config, path as configs } from "../crd-objects.ts";
import { person } from "./people.ts";
import {
  bindRole,
  createRole,
  dryRunWrite,
  messageOf,
  type RightsCluster,
  startRightsCluster,
  untilDenied,
} from "./rights-cluster.ts";

const profile = "load-aware-rebalancing";
const applying = "example-profile";
const unmade = "virt-higher-density";
const hash = "a".repeat(64);
const onConfigs = { group: "advisor.kubevirt.io", resource: "virtplatformconfigs" };

const roles = ["viewer", "editor", "approver", "admin"] as const;
type Role = (typeof roles)[number];

let cluster: RightsCluster;
const people: Partial<Record<Role, ApiUser>> = {};
const who = (role: Role): ApiUser => people[role] ?? cluster.server;

beforeAll(async () => {
  cluster = await startRightsCluster();
  const stored = [
    config({ spec: { profile, action: "DryRun" } }),
    config({ spec: { profile: applying, action: "Apply" } }),
  ];
  await applyManifests(cluster.server, stored.map((one) => JSON.stringify(one)).join("\n---\n"));
  for (const role of roles) people[role] = await boundTo(role);
  const maker = await person(cluster.server, "maker", [{ ...onConfigs, verbs: ["create"] }]);
  const pinned = config({ spec: { profile: unmade, approvedPlan: hash } });
  await untilDenied(maker, { method: "POST", path: configs, body: pinned }, "virt-advisor-operator-approvals");
});
afterAll(() => cluster.server.stop());

async function boundTo(role: Role): Promise<ApiUser> {
  await bindRole(cluster.server, role, `virtplatformconfig-${role}-role`);
  const somebody = cluster.server.user(role);
  const isBound = async () => expect((await somebody.request({ path: configs })).status).toBe(200);
  await vi.waitFor(isBound, { timeout: 120_000, interval: 50 });
  return somebody;
}

const edit = (actor: ApiUser, name: string, spec: object): Promise<ApiResponse> =>
  dryRunWrite(actor, { method: "PATCH", path: `${configs}/${name}`, body: { spec } });
const make = (actor: ApiUser, spec: object): Promise<ApiResponse> =>
  dryRunWrite(actor, { method: "POST", path: configs, body: config({ spec: { profile: unmade, ...spec } }) });

describe("an action Apply", () => {
  const mayNot = (name: string, by = "editor") => `${by} may not apply VirtPlatformConfig ${name}`;
  const takes = "requires permission to approve virtplatformconfigs.advisor.kubevirt.io";

  test("is denied to editors with the missing right and the next step", async () => {
    const answer = await edit(who("editor"), profile, { action: "Apply" });
    expect(answer.status).toBe(403);
    expect(messageOf(answer)).toContain(mayNot(profile));
    expect(messageOf(answer)).toContain(takes);
    expect(messageOf(answer)).toContain("Next: set spec.action to DryRun");
  });

  test("is denied to editors who create or replace a config", async () => {
    const made = await make(who("editor"), { action: "Apply" });
    expect(messageOf(made)).toContain(mayNot(unmade));
    const { body } = await who("editor").request({ path: `${configs}/${profile}` });
    const live = body as { readonly spec: object };
    const put = { ...live, spec: { ...live.spec, action: "Apply" } };
    const answer = await dryRunWrite(who("editor"), { method: "PUT", path: `${configs}/${profile}`, body: put });
    expect(messageOf(answer)).toContain(mayNot(profile));
  });

  const json = (op: string, path: string, value: unknown) => [{ op, path, value }];
  const spec = { profile, action: "Apply" };
  const ways: readonly {
    readonly how: string;
    readonly contentType: string;
    readonly body: unknown;
    readonly query?: string;
  }[] = [
    { how: "a JSON patch", contentType: "application/json-patch+json", body: json("replace", "/spec/action", "Apply") },
    {
      how: "a JSON patch of the whole spec",
      contentType: "application/json-patch+json",
      body: json("replace", "/spec", spec),
    },
    { how: "a merge patch", contentType: "application/merge-patch+json", body: { spec: { action: "Apply" } } },
    {
      how: "a server-side apply by force",
      contentType: "application/apply-patch+yaml",
      body: config({ spec: { profile, action: "Apply" } }),
      query: "&fieldManager=editor&force=true",
    },
  ];
  test.each(ways)("is denied to editors who send $how", async ({ contentType, body, query = "" }) => {
    const path = `${configs}/${profile}?dryRun=All${query}`;
    const send = (actor: ApiUser) => actor.request({ method: "PATCH", path, contentType, body });
    expect(messageOf(await send(who("editor")))).toContain(mayNot(profile));
    expect(await send(who("approver"))).toMatchObject({ status: 200 });
  });

  test("cannot be obtained by concurrent edits", async () => {
    const path = `${configs}/${profile}`;
    const patches = [{ spec: { action: "Apply" } }, { spec: { waitTimeout: "2h" } }, { spec: { action: "DryRun" } }];
    const sent = Array.from({ length: 30 }, (_, at) =>
      who("editor").request({ method: "PATCH", path, body: patches[at % patches.length] }),
    );
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    expect(statuses.filter((_, at) => at % patches.length === 0)).toEqual(Array.from({ length: 10 }, () => 403));
    const { body } = await who("viewer").request({ path });
    expect(body).toMatchObject({ spec: { action: "DryRun" } });
  });

  const edits: readonly { readonly what: string; readonly spec: object }[] = [
    { what: "the failure policy", spec: { failurePolicy: "Continue" } },
    { what: "the optimistic lock", spec: { bypassOptimisticLock: true } },
    { what: "the wait timeout", spec: { waitTimeout: "1h" } },
    { what: "the approved plan", spec: { approvedPlan: hash } },
  ];
  test.each(edits)("protects $what of its config from editors", async ({ spec }) => {
    const answer = await edit(who("editor"), applying, spec);
    expect(answer.status).toBe(403);
    expect(messageOf(answer)).toContain(takes);
    expect(await edit(who("approver"), applying, spec)).toMatchObject({ status: 200 });
  });

  const stops: readonly Action[] = ["DryRun", "Ignore"];
  test.each(stops)("can be changed to %s by an editor", async (action) => {
    expect(await edit(who("editor"), applying, { action })).toMatchObject({ status: 200 });
  });

  test("that does not change lets editors label its config", async () => {
    const body = { metadata: { labels: { team: "virtualization" } }, spec: { action: "Apply" } };
    const answer = await dryRunWrite(who("editor"), { method: "PATCH", path: `${configs}/${applying}`, body });
    expect(answer).toMatchObject({ status: 200 });
  });

  test("is set by approvers, and by admins, who also create configs", async () => {
    for (const role of ["approver", "admin"] as const)
      expect(await edit(who(role), profile, { action: "Apply" })).toMatchObject({ status: 200 });
    expect(await make(who("admin"), { action: "Apply" })).toMatchObject({ status: 201 });
    expect(await make(who("editor"), { action: "DryRun" })).toMatchObject({ status: 201 });
    expect(await make(who("editor"), {})).toMatchObject({ status: 201 });
    for (const role of ["viewer", "approver"] as const)
      expect(await make(who(role), { action: "DryRun" })).toMatchObject({ status: 403 });
  });

  test("can be delegated to a GitOps account for its own configs", async () => {
    const rules = [
      { apiGroups: [onConfigs.group], resources: [onConfigs.resource], verbs: ["get", "list", "create", "patch"] },
      { apiGroups: [onConfigs.group], resources: [onConfigs.resource], resourceNames: [unmade], verbs: ["approve"] },
    ];
    await createRole(cluster.server, "gitops", rules);
    await bindRole(cluster.server, "gitops", "gitops");
    const gitops = cluster.server.user("gitops");
    const isAllowed = async () => expect((await make(gitops, { action: "Apply" })).status).toBe(201);
    await vi.waitFor(isAllowed, { timeout: 120_000 });
    expect(messageOf(await edit(gitops, profile, { action: "Apply" }))).toContain(mayNot(profile, "gitops"));
  });
});

describe("the approval of a plan", () => {
  const approve = (actor: ApiUser, approvedPlan: string | null, name = profile) => edit(actor, name, { approvedPlan });

  test("is denied to viewers and editors with the missing right", async () => {
    expect(await approve(who("viewer"), hash)).toMatchObject({ status: 403 });
    const answer = await approve(who("editor"), hash);
    expect(answer.status).toBe(403);
    expect(messageOf(answer)).toContain(
      `editor may not change spec.approvedPlan of ${profile}: that requires permission to approve virtplatformconfigs.advisor.kubevirt.io`,
    );
    expect(await make(who("editor"), { action: "DryRun", approvedPlan: hash })).toMatchObject({ status: 403 });
  });

  test("is given by approvers and admins, and withdrawn by approvers", async () => {
    for (const role of ["approver", "admin"] as const)
      expect(await approve(who(role), hash)).toMatchObject({ status: 200 });
    const body = { spec: { approvedPlan: hash } };
    await cluster.server.request({ method: "PATCH", path: `${configs}/${profile}`, body });
    expect(await approve(who("approver"), null)).toMatchObject({ status: 200 });
    expect(await approve(who("editor"), null)).toMatchObject({ status: 403 });
    expect(await approve(who("editor"), hash)).toMatchObject({ status: 200 });
  });

  test("can be delegated for a single config", async () => {
    const rules = [
      { apiGroups: [onConfigs.group], resources: [onConfigs.resource], verbs: ["get", "list", "patch"] },
      { apiGroups: [onConfigs.group], resources: [onConfigs.resource], resourceNames: [profile], verbs: ["approve"] },
    ];
    await createRole(cluster.server, "one-config", rules);
    await bindRole(cluster.server, "one-config", "one-config");
    const somebody = cluster.server.user("one-config");
    await vi.waitFor(async () => expect((await approve(somebody, "b".repeat(64))).status).toBe(200), {
      timeout: 120_000,
    });
    expect(await approve(somebody, "b".repeat(64), applying)).toMatchObject({ status: 403 });
  });
});

describe("the status of a config", () => {
  const status = `${configs}/${profile}/status`;
  const lie = { status: { phase: "Completed" } };

  test("can be written only by the advisor's account", async () => {
    await person(cluster.server, "every-verb", [{ group: "*", resource: "*", verbs: ["*"] }]);
    await bindRole(cluster.server, "owner", "cluster-admin");
    for (const name of ["every-verb", "owner"]) {
      const write = { method: "PATCH", path: status, body: lie } as const;
      await untilDenied(cluster.server.user(name), write, "virt-advisor-operator-status");
      expect(messageOf(await dryRunWrite(cluster.server.user(name), write))).toContain(
        `${name} may not write the status of VirtPlatformConfig ${profile}: only virt-advisor-operator (${accountName("advisor")}) may`,
      );
    }
    const emergency = cluster.server.user("emergency", ["system:masters"]);
    expect(await dryRunWrite(emergency, { method: "PATCH", path: status, body: lie })).toMatchObject({ status: 200 });
    const { body } = await cluster.accounts.advisor.request({ path: `${configs}/${profile}` });
    const report = { method: "PUT", path: status, body: { ...(body as object), ...lie } } as const;
    expect(await dryRunWrite(cluster.accounts.advisor, report)).toMatchObject({ status: 200 });
  });

  test("does not change with an update of the config", async () => {
    const { body } = await cluster.server.request({ path: `${configs}/${profile}` });
    const put = { ...(body as object), ...lie };
    const answer = await dryRunWrite(cluster.server, { method: "PUT", path: `${configs}/${profile}`, body: put });
    expect(answer.status).toBe(200);
    expect(answer.body).not.toHaveProperty("status.phase");
  });
});
