import type { ApiUser } from "@virt/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { applyManifests } from "../../support/account.ts";
import { person } from "./people.ts";
import {
  bindRole,
  dryRunWrite,
  manifest,
  messageOf,
  type RightsCluster,
  startRightsCluster,
  untilDenied,
} from "./rights-cluster.ts";
import { everything, onHco, rebooting, switches } from "./switches.ts";

const prefix = "platform.kubevirt.io/";
const hcos = "/apis/hco.kubevirt.io/v1beta1/namespaces/openshift-cnv/hyperconvergeds";
const hco = `${hcos}/kubevirt-hyperconverged`;
const checks = "/apis/remediation.medik8s.io/v1alpha1/nodehealthchecks";
const check = { apiVersion: "remediation.medik8s.io/v1alpha1", kind: "NodeHealthCheck" };

const shippedRoles = [
  ...["viewer", "editor", "approver", "admin"].map((role) => `virtplatformconfig-${role}-role`),
  ...["advisor", "platform"].map((operator) => `virt-${operator}-operator-metrics-reader`),
];

let cluster: RightsCluster;

beforeAll(async () => {
  cluster = await startRightsCluster();
  const objects = [
    manifest("hco.kubevirt.io/v1beta1", "HyperConverged", {
      name: "kubevirt-hyperconverged",
      namespace: "openshift-cnv",
      annotations: { [`${prefix}enable-swap`]: "false" },
    }),
    manifest("remediation.medik8s.io/v1alpha1", "NodeHealthCheck", { name: "virt-node-health-check" }),
  ];
  await applyManifests(cluster.server, objects.join("\n---\n"));
  await untilPoliciesHold();
});
afterAll(() => cluster.server.stop());

/** Waits until each policy denies a user who may create its objects and nothing else. */
async function untilPoliciesHold(): Promise<void> {
  const maker = await person(cluster.server, "maker-of-all", [
    { group: "hco.kubevirt.io", resource: "hyperconvergeds", verbs: ["create"] },
    { group: "remediation.medik8s.io", resource: "nodehealthchecks", verbs: ["create"] },
  ]);
  const metadata = (name: string, key: string) => ({ name, annotations: { [`${prefix}${key}`]: "true" } });
  const bodies = {
    [hcos]: {
      apiVersion: "hco.kubevirt.io/v1beta1",
      kind: "HyperConverged",
      metadata: metadata("kubevirt-hyperconverged", "prune"),
    },
    [checks]: { ...check, metadata: metadata("virt-node-health-check", "adopt") },
  };
  const policies = ["platform-operator-switches", "platform-operator-overrides"];
  const denials = Object.entries(bodies).map(([path, body], at) =>
    untilDenied(maker, { method: "POST", path, body }, `virt-${policies[at]}`),
  );
  await Promise.all(denials);
}

const annotate = (who: ApiUser, path: string, annotations: Readonly<Record<string, string | null>>) =>
  dryRunWrite(who, { method: "PATCH", path, body: { metadata: { annotations } } });

describe("a switch on the HyperConverged", () => {
  let virtualization: ApiUser;
  beforeAll(async () => {
    virtualization = await person(cluster.server, "virtualization", [
      { ...onHco, verbs: ["patch", "update", "create"] },
    ]);
  });

  test.each(switches)("$key does not change without the rights to patch its objects", async ({ key, needs }) => {
    const answer = await annotate(virtualization, hco, { [`${prefix}${key}`]: "true" });
    expect(answer.status).toBe(403);
    const named = needs.map(({ resource, group }) => (group === "" ? resource : `${resource}.${group}`));
    const reports = named.filter((right) => messageOf(answer).includes(`which requires permission to patch ${right}`));
    expect(reports).toHaveLength(1);
    expect(messageOf(answer)).toContain(`virtualization may not change ${prefix}${key} on the HyperConverged`);
  });

  test.each(switches)("$key changes with the rights to patch its objects", async ({ key, needs }) => {
    const somebody = await person(cluster.server, `with-${key}`, [onHco, ...needs]);
    expect(await annotate(somebody, hco, { [`${prefix}${key}`]: "true" })).toMatchObject({ status: 200 });
    for (const missing of needs) {
      const others = needs.filter((rule) => rule !== missing);
      if (others.length === 0 || needs === everything) continue;
      const another = await person(cluster.server, `with-${key}-without-${missing.resource}`, [onHco, ...others]);
      expect(await annotate(another, hco, { [`${prefix}${key}`]: "true" })).toMatchObject({ status: 403 });
    }
  });

  test.each(shippedRoles)("cannot be set, changed or removed with role %s", async (role) => {
    const name = `has-${role}`;
    await bindRole(cluster.server, name, role);
    const somebody = await person(cluster.server, name, [onHco]);
    const attempts = switches.flatMap(({ key }) => ["true", "false", "x"].map((value) => ({ key, value })));
    for (const { key, value } of attempts.filter((one) => `${one.key}=${one.value}` !== "enable-swap=false"))
      expect({ key, ...(await annotate(somebody, hco, { [`${prefix}${key}`]: value })) }).toMatchObject({
        key,
        status: 403,
      });
    expect(await annotate(somebody, hco, { [`${prefix}enable-swap`]: null })).toMatchObject({ status: 403 });
  });

  test("that affects only the HyperConverged needs no further rights", async () => {
    const devices = { [`${prefix}usb-devices`]: "[]", [`${prefix}enable-aaq`]: "true" };
    expect(await annotate(virtualization, hco, devices)).toMatchObject({ status: 200 });
    const updater = await person(cluster.server, "updater", [{ ...onHco, verbs: ["update", "get"] }]);
    const { body } = await updater.request({ path: hco });
    const live = body as { readonly metadata: object };
    const changed = { ...live, metadata: { ...live.metadata, annotations: devices } };
    expect(await dryRunWrite(updater, { method: "PUT", path: hco, body: changed })).toMatchObject({ status: 403 });
  });

  test("weakening the reboot gate needs further rights, setting it does not", async () => {
    const gate = `${prefix}reboot-gate`;
    const become = (value: string | null) =>
      cluster.server.request({ method: "PATCH", path: hco, body: { metadata: { annotations: { [gate]: value } } } });
    const deciders = await person(cluster.server, "gate-keeper", [onHco, ...rebooting]);
    const halves = await Promise.all(
      rebooting.map((right) => person(cluster.server, `gate-keeper-${right.resource}`, [onHco, right])),
    );
    const others = [virtualization, ...halves];
    expect(await annotate(virtualization, hco, { [gate]: "no-blockers" })).toMatchObject({ status: 200 });
    for (const { from, to, isFree } of [
      { from: "no-blockers", to: "no-blocker", isFree: true },
      { from: "no-blockers", to: null, isFree: false },
      { from: "never", to: "no-blockers", isFree: false },
      { from: "never", to: null, isFree: false },
    ]) {
      await become(from);
      for (const who of others)
        expect({ from, to, ...(await annotate(who, hco, { [gate]: to })) }).toMatchObject({
          status: isFree ? 200 : 403,
        });
      expect(await annotate(deciders, hco, { [gate]: to })).toMatchObject({ status: 200 });
    }
    const answer = await annotate(virtualization, hco, { [gate]: null });
    expect(messageOf(answer)).toContain(`virtualization may not change ${gate} on the HyperConverged`);
    await become(null);
  });

  test("that does not change needs no further rights", async () => {
    const same = { [`${prefix}enable-swap`]: "false", "example.com/note": "mine", [`${prefix}openshift`]: "true" };
    expect(await annotate(virtualization, hco, same)).toMatchObject({ status: 200 });
    const body = { spec: { liveMigrationConfig: { allowPostCopy: true } } };
    expect(await dryRunWrite(virtualization, { method: "PATCH", path: hco, body })).toMatchObject({ status: 200 });
  });

  test("is also checked in a new HyperConverged", async () => {
    const made = (annotations: object) =>
      dryRunWrite(virtualization, {
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

  test("cannot be set with create rights alone", async () => {
    const maker = await person(cluster.server, "maker", [{ ...onChecks, verbs: ["create"] }]);
    for (const key of overrides) {
      const body = { ...check, metadata: metadata("virt-node-health-check", key) };
      const answer = await dryRunWrite(maker, { method: "POST", path: checks, body });
      expect(answer.status).toBe(403);
      expect(messageOf(answer)).toContain(
        `maker may not set ${prefix}${key} on virt-node-health-check: that requires permission to patch nodehealthchecks.remediation.medik8s.io`,
      );
    }
    const others = { ...check, metadata: metadata("theirs", "mode") };
    expect(await dryRunWrite(maker, { method: "POST", path: checks, body: others })).toMatchObject({ status: 201 });
  });

  test("cannot be set through the status subresource", async () => {
    const door = { name: "virt-platform-operator-metrics", namespace: "virt-platform-operator-system" };
    await applyManifests(cluster.server, manifest("v1", "Service", door, { spec: { ports: [{ port: 80 }] } }));
    const path = `/api/v1/namespaces/${door.namespace}/services/${door.name}/status`;
    const onStatus = { group: "", resource: "services/status" };
    const reporter = await person(cluster.server, "reporter", [onStatus]);
    const answer = await annotate(reporter, path, { [`${prefix}mode`]: "unmanaged" });
    expect(messageOf(answer)).toContain(
      `reporter may not set ${prefix}mode on ${door.name}: that requires permission to patch services`,
    );
    expect(await annotate(reporter, path, { "example.com/note": "mine" })).toMatchObject({ status: 200 });
  });

  test("other clients cannot set or change the operator's state", async () => {
    const everybody = await person(cluster.server, "forger", [{ ...onChecks, verbs: ["create", "patch", "update"] }]);
    const state = `${prefix}state`;
    const forged = { [state]: '{"v":1,"created":true}' };
    const answer = await annotate(everybody, `${checks}/virt-node-health-check`, forged);
    expect(answer.status).toBe(403);
    expect(messageOf(answer)).toContain(
      `forger may not change ${state} on virt-node-health-check: only virt-platform-operator may`,
    );
    const body = { ...check, metadata: { name: "virt-node-health-check", annotations: forged } };
    expect(await dryRunWrite(everybody, { method: "POST", path: checks, body })).toMatchObject({ status: 403 });
    const harmless = { [state]: null, "example.com/note": "mine" };
    expect(await annotate(everybody, `${checks}/virt-node-health-check`, harmless)).toMatchObject({ status: 200 });
  });

  test("the operator sets its state, and other clients may only clear it", async () => {
    const path = `${checks}/virt-node-health-check`;
    const state = `${prefix}state`;
    const record = (value: string | null) => ({
      method: "PATCH" as const,
      path,
      body: { metadata: { annotations: { [state]: value } } },
    });
    const written = await cluster.accounts.platform.request({
      ...record('{"v":1}'),
      path: `${path}?fieldManager=virt-platform-operator`,
    });
    expect(messageOf(written)).toBe("");
    const editor = await person(cluster.server, "record-editor", [{ ...onChecks, verbs: ["patch"] }]);
    expect(await dryRunWrite(editor, record('{"v":1,"created":true}'))).toMatchObject({ status: 403 });
    for (const free of [null, ""]) expect(await dryRunWrite(editor, record(free))).toMatchObject({ status: 200 });
  });

  test("an administrator sets the operator's state only as the operator", async () => {
    const administrator = cluster.server.user("administrator", ["system:masters"]);
    const body = { metadata: { annotations: { [`${prefix}state`]: '{"v":1,"created":true}' } } };
    const setBy = (manager: string) => {
      const path = `${checks}/virt-node-health-check?dryRun=All&fieldManager=${manager}`;
      return administrator.request({ method: "PATCH", path, body });
    };
    expect(await setBy("virt-platform-operator")).toMatchObject({ status: 200 });
    expect(await setBy("kubectl-edit")).toMatchObject({ status: 403 });
  });

  test("can be set with patch rights", async () => {
    const patcher = await person(cluster.server, "patcher", [onChecks]);
    const annotations = Object.fromEntries(overrides.map((key) => [`${prefix}${key}`, "true"]));
    expect(await annotate(patcher, `${checks}/virt-node-health-check`, annotations)).toMatchObject({ status: 200 });
  });
});
