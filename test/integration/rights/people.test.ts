// What people may tell the operators, by annotations and by approvals: as much as they could do themselves.

import type { Actor } from "@virt/testkit";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { applied } from "../../world/account.ts";
import { config, path as configs } from "../crd-objects.ts";
import { person } from "./people.ts";
import { bindRole, createRole, manifest, messageOf, rehearse, type Site, startSite, untilDenied } from "./site.ts";
import { everything, onHco, switches } from "./switches.ts";

const prefix = "platform.kubevirt.io/";
const hcos = "/apis/hco.kubevirt.io/v1beta1/namespaces/openshift-cnv/hyperconvergeds";
const hco = `${hcos}/kubevirt-hyperconverged`;
const checks = "/apis/remediation.medik8s.io/v1alpha1/nodehealthchecks";
const check = { apiVersion: "remediation.medik8s.io/v1alpha1", kind: "NodeHealthCheck" };
const profile = "load-aware-rebalancing";
const hash = "a".repeat(64);

let site: Site;

beforeAll(async () => {
  site = await startSite();
  const objects = [
    manifest("hco.kubevirt.io/v1beta1", "HyperConverged", {
      name: "kubevirt-hyperconverged",
      namespace: "openshift-cnv",
      annotations: { [`${prefix}enable-swap`]: "false" },
    }),
    manifest("remediation.medik8s.io/v1alpha1", "NodeHealthCheck", { name: "virt-node-health-check" }),
    JSON.stringify(config({ spec: { profile, action: "DryRun" } })),
  ];
  await applied(site.server, objects.join("\n---\n"));
  await untilPoliciesHold();
});
afterAll(() => site.server.stop());

/** Somebody who can make what the policies are about, and no more, is denied by each of them. */
async function untilPoliciesHold(): Promise<void> {
  const maker = await person(site.server, "maker-of-all", [
    { group: "hco.kubevirt.io", resource: "hyperconvergeds", verbs: ["create"] },
    { group: "remediation.medik8s.io", resource: "nodehealthchecks", verbs: ["create"] },
    { group: "advisor.kubevirt.io", resource: "virtplatformconfigs", verbs: ["create"] },
  ]);
  const metadata = (name: string, key: string) => ({ name, annotations: { [`${prefix}${key}`]: "true" } });
  const bodies = {
    [hcos]: {
      apiVersion: "hco.kubevirt.io/v1beta1",
      kind: "HyperConverged",
      metadata: metadata("kubevirt-hyperconverged", "prune"),
    },
    [checks]: { ...check, metadata: metadata("virt-node-health-check", "adopt") },
    [configs]: config({ spec: { profile, approvedPlan: hash } }),
  };
  const policies = ["platform-operator-switches", "platform-operator-overrides", "advisor-operator-approvals"];
  const denials = Object.entries(bodies).map(([path, body], at) =>
    untilDenied(maker, { method: "POST", path, body }, `virt-${policies[at]}`),
  );
  await Promise.all(denials);
}

const annotate = (who: Actor, path: string, annotations: Readonly<Record<string, string | null>>) =>
  rehearse(who, { method: "PATCH", path, body: { metadata: { annotations } } });

describe("a switch on the HyperConverged", () => {
  let virtualization: Actor;
  beforeAll(async () => {
    virtualization = await person(site.server, "virtualization", [{ ...onHco, verbs: ["patch", "update", "create"] }]);
  });

  test.each(switches)("$key is not turned by somebody who cannot patch what it leads to", async ({ key, needs }) => {
    const answer = await annotate(virtualization, hco, { [`${prefix}${key}`]: "true" });
    expect(answer.status).toBe(403);
    const named = needs.map(({ resource, group }) => (group === "" ? resource : `${resource}.${group}`));
    const told = named.filter((right) => messageOf(answer).includes(`which takes the right to patch ${right}`));
    expect(told).toHaveLength(1);
    expect(messageOf(answer)).toContain(`virtualization may not change ${prefix}${key} on the HyperConverged`);
  });

  test.each(switches)("$key is turned by somebody who can", async ({ key, needs }) => {
    const somebody = await person(site.server, `with-${key}`, [onHco, ...needs]);
    expect(await annotate(somebody, hco, { [`${prefix}${key}`]: "true" })).toMatchObject({ status: 200 });
    for (const missing of needs) {
      const others = needs.filter((rule) => rule !== missing);
      if (others.length === 0 || needs === everything) continue;
      const another = await person(site.server, `with-${key}-without-${missing.resource}`, [onHco, ...others]);
      expect(await annotate(another, hco, { [`${prefix}${key}`]: "true" })).toMatchObject({ status: 403 });
    }
  });

  test("that concerns the HyperConverged alone is turned by whoever may patch it", async () => {
    const devices = { [`${prefix}usb-devices`]: "[]", [`${prefix}enable-aaq`]: "true" };
    expect(await annotate(virtualization, hco, devices)).toMatchObject({ status: 200 });
    const updater = await person(site.server, "updater", [{ ...onHco, verbs: ["update", "get"] }]);
    const { body } = await updater.request({ path: hco });
    const live = body as { readonly metadata: object };
    const changed = { ...live, metadata: { ...live.metadata, annotations: devices } };
    expect(await rehearse(updater, { method: "PUT", path: hco, body: changed })).toMatchObject({ status: 403 });
  });

  test("counts as turned when it is taken away", async () => {
    expect(await annotate(virtualization, hco, { [`${prefix}enable-swap`]: null })).toMatchObject({ status: 403 });
  });

  test("that stays as it is stops nobody", async () => {
    const same = { [`${prefix}enable-swap`]: "false", "example.com/note": "mine", [`${prefix}openshift`]: "true" };
    expect(await annotate(virtualization, hco, same)).toMatchObject({ status: 200 });
    const body = { spec: { liveMigrationConfig: { allowPostCopy: true } } };
    expect(await rehearse(virtualization, { method: "PATCH", path: hco, body })).toMatchObject({ status: 200 });
  });

  test("is no other in an object that is made with it", async () => {
    const made = (annotations: object) =>
      rehearse(virtualization, {
        method: "POST",
        path: hcos.replace("openshift-cnv", "elsewhere"),
        body: {
          apiVersion: "hco.kubevirt.io/v1beta1",
          kind: "HyperConverged",
          metadata: { name: "kubevirt-hyperconverged", annotations },
        },
      });
    expect(await made({ [`${prefix}autopilot`]: "true" })).toMatchObject({ status: 403 });
    expect(await made({})).toMatchObject({ status: 201 });
  });
});

describe("an override on a managed object", () => {
  const overrides = ["patch", "ignore-fields", "mode", "adopt", "reconcile-paused"];
  const onChecks = { group: "remediation.medik8s.io", resource: "nodehealthchecks" };
  const metadata = (name: string, key: string) => ({ name, annotations: { [`${prefix}${key}`]: "unmanaged" } });

  test("is not set by somebody who may only create such objects", async () => {
    const maker = await person(site.server, "maker", [{ ...onChecks, verbs: ["create"] }]);
    for (const key of overrides) {
      const body = { ...check, metadata: metadata("virt-node-health-check", key) };
      const answer = await rehearse(maker, { method: "POST", path: checks, body });
      expect(answer.status).toBe(403);
      expect(messageOf(answer)).toContain(
        `maker may not set ${prefix}${key} on virt-node-health-check: that takes the right to patch nodehealthchecks.remediation.medik8s.io`,
      );
    }
    const others = { ...check, metadata: metadata("theirs", "mode") };
    expect(await rehearse(maker, { method: "POST", path: checks, body: others })).toMatchObject({ status: 201 });
  });

  test("is set by whoever may patch the object", async () => {
    const patcher = await person(site.server, "patcher", [onChecks]);
    const annotations = Object.fromEntries(overrides.map((key) => [`${prefix}${key}`, "true"]));
    expect(await annotate(patcher, `${checks}/virt-node-health-check`, annotations)).toMatchObject({ status: 200 });
  });
});

describe("the approval of a plan", () => {
  const onConfigs = { group: "advisor.kubevirt.io", resource: "virtplatformconfigs" };
  const approve = (who: Actor, approvedPlan: string | null, name = profile) =>
    rehearse(who, { method: "PATCH", path: `${configs}/${name}`, body: { spec: { approvedPlan } } });
  const roleOf = async (role: string) => {
    await bindRole(site.server, role, `virtplatformconfig-${role}-role`);
    const somebody = site.server.user(role);
    const isBound = async () => expect((await somebody.request({ path: configs })).status).toBe(200);
    await vi.waitFor(isBound, { timeout: 45_000, interval: 50 });
    return somebody;
  };

  test("is kept from viewers and editors, who are told what they lack", async () => {
    expect(await approve(await roleOf("viewer"), hash)).toMatchObject({ status: 403 });
    const editor = await roleOf("editor");
    const answer = await approve(editor, hash);
    expect(answer.status).toBe(403);
    expect(messageOf(answer)).toContain(
      `editor may not change spec.approvedPlan of ${profile}: that takes the right to approve virtplatformconfigs.advisor.kubevirt.io`,
    );
    const body = { spec: { action: "Apply" } };
    expect(await rehearse(editor, { method: "PATCH", path: `${configs}/${profile}`, body })).toMatchObject({
      status: 200,
    });
    const spec = { profile: "virt-higher-density", action: "Apply", approvedPlan: hash } as const;
    expect(await rehearse(editor, { method: "POST", path: configs, body: config({ spec }) })).toMatchObject({
      status: 403,
    });
  });

  test("is given, changed and taken back by approvers and admins", async () => {
    for (const role of ["approver", "admin"]) {
      const somebody = await roleOf(role);
      expect(await approve(somebody, hash)).toMatchObject({ status: 200 });
    }
    const body = { spec: { approvedPlan: hash } };
    await site.server.request({ method: "PATCH", path: `${configs}/${profile}`, body });
    expect(await approve(site.server.user("approver"), null)).toMatchObject({ status: 200 });
    expect(await approve(site.server.user("editor"), null)).toMatchObject({ status: 403 });
    expect(await approve(site.server.user("editor"), hash)).toMatchObject({ status: 200 });
  });

  test("can be left to somebody for one config alone", async () => {
    const rules = [
      { apiGroups: [onConfigs.group], resources: [onConfigs.resource], verbs: ["get", "list", "patch"] },
      { apiGroups: [onConfigs.group], resources: [onConfigs.resource], resourceNames: [profile], verbs: ["approve"] },
    ];
    await createRole(site.server, "one-config", rules);
    await bindRole(site.server, "one-config", "one-config");
    const other = "example-profile";
    await applied(site.server, JSON.stringify(config({ spec: { profile: other, action: "DryRun" } })));
    const somebody = site.server.user("one-config");
    await vi.waitFor(async () => expect((await approve(somebody, "b".repeat(64))).status).toBe(200), {
      timeout: 45_000,
    });
    expect(await approve(somebody, "b".repeat(64), other)).toMatchObject({ status: 403 });
  });
});
