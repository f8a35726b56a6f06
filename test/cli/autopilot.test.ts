// The tool shows which objects virt-platform-autopilot manages, and which of its pods leads.

import { asText, at } from "@virt/objects";
import { afterAll, beforeAll, expect, test } from "vitest";
import { applyManifests } from "../support/account.ts";
import { type PluginRun, runPlugin } from "../support/plugin.ts";
import { startTestCluster, type TestCluster } from "../support/test-cluster.ts";
import { storeReport } from "./platform-objects.ts";
import { userWithRules } from "./user-with-rules.ts";

let testCluster: TestCluster;
const namespace = "virt-platform-operator-system";
const theirs = "virt-platform-autopilot";
const object = (name: string, managedBy: string, more: object = {}) => ({
  object: `Thing ${name}`,
  managedBy,
  status: "Excluded",
  assets: [],
  ...more,
});
const report = {
  activation: { mode: "always", isActive: true },
  autopilot: { state: "Active", since: "2026-01-01T00:00:00Z", namespace: "openshift-cnv" },
  objects: [
    object("ours", "virt-platform-operator", { status: "InSync", assets: ["metallb-operator"] }),
    object("theirs", theirs),
    object("governed", "VirtPlatformConfig/virt-higher-density"),
  ],
  exclusions: [
    { asset: "psi-enable", group: "psi", target: "Thing theirs", reason: "ManagedByAutopilot", details: "" },
    { asset: "swap-enable", group: "swap", target: "Thing governed", reason: "GovernedByPlan", details: "" },
  ],
};

beforeAll(async () => {
  testCluster = await startTestCluster();
});
afterAll(() => testCluster[Symbol.asyncDispose]());

const run = (...args: readonly string[]): Promise<PluginRun> => runPlugin(args, testCluster.server);

test("assets begins with the autopilot and names the manager of each object", async () => {
  await storeReport(testCluster.server, namespace, report);
  const { code, out } = await run("assets");
  expect(code).toBe(0);
  expect(out.split("\n").slice(0, 2)).toEqual([
    "virt-platform-autopilot: active (1 object)",
    "The platform controller is active (activation always)",
  ]);
  expect(out).toMatch(/^ASSET +OBJECT +STATE +MANAGED BY +WHY$/mu);
  expect(out).toMatch(/^metallb-operator +Thing ours +In sync +virt-platform-operator +/mu);
  expect(out).toMatch(/^psi-enable +Thing theirs +\S.* +virt-platform-autopilot +/mu);
  expect(out).toMatch(/^swap-enable +Thing governed +\S.* +VirtPlatformConfig\/virt-higher-density +/mu);
  expect(out).toContain("run: kubectl virt-advisor adopt");
  const sorted = await run("assets", "--sort-by", "managed-by", "-o", "json");
  const { items, autopilot } = JSON.parse(sorted.out) as { items: { managedBy: string }[]; autopilot: object };
  expect(items.map(({ managedBy }) => managedBy)).toEqual([
    theirs,
    "virt-platform-operator",
    "VirtPlatformConfig/virt-higher-density",
  ]);
  expect(autopilot).toEqual(report.autopilot);
});

test("status begins with the combined state of both operators", async () => {
  await storeReport(testCluster.server, namespace, report);
  const { out } = await run("status");
  expect(out.split("\n")[0]).toBe(
    "Platform operators: Both (virt-platform-operator is active, virt-platform-autopilot is active)",
  );
  const { out: json } = await run("status", "-o", "json");
  expect(asText(at(JSON.parse(json), "platformOperators", "combined"))).toBe("Both");
});

const leasePlace = "openshift-cnv/virt-platform-autopilot.kubevirt.io";

test("doctor names the pod that holds the autopilot's lease", async () => {
  expect((await run("doctor")).out).not.toContain(theirs);
  const [leaseNamespace, name] = leasePlace.split("/");
  const lease = {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name, namespace: leaseNamespace },
    spec: {
      holderIdentity: "virt-platform-autopilot-1_a",
      leaseDurationSeconds: 86_400,
      renewTime: new Date().toISOString().replace("Z", "000Z"),
    },
  };
  const space = { apiVersion: "v1", kind: "Namespace", metadata: { name: leaseNamespace } };
  await applyManifests(testCluster.server, [space, lease].map((one) => JSON.stringify(one)).join("\n---\n"));
  const { out } = await run("doctor");
  expect(out).toMatch(
    /^virt-platform-autopilot: virt-platform-autopilot-1_a leads \(lease openshift-cnv\/virt-platform-autopilot\.kubevirt\.io, renewed \d+s ago\)$/mu,
  );
  const { out: json } = await run("doctor", "-o", "json");
  expect(at(JSON.parse(json), "autopilot", "lease")).toMatchObject({ kind: "held", lease: leasePlace });
});

test("doctor reads the lease in the usual namespace, and reports a missing permission without failing", async () => {
  const { server } = testCluster;
  const everything = [{ apiGroups: ["*"], resources: ["*"], verbs: ["get", "list", "watch"] }];
  const all = await runPlugin(["doctor"], await userWithRules(server, "reads-all", everything));
  const other = { apiGroups: [machineConfigs], resources: ["*"], verbs: ["get", "list", "watch"] };
  const blind = await runPlugin(["doctor"], await userWithRules(server, "reads-no-leases", [other]));
  expect(blind.out).toMatch(
    /^virt-platform-autopilot: its leader is unknown, because its lease cannot be read: .*forbidden/mu,
  );
  expect(blind.code).toBe(7);
  expect(all.code).toBe(0);
  const near = await userWithRules(
    server,
    "reads-one-namespace",
    [{ apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["get"] }],
    "openshift-cnv",
  );
  expect((await runPlugin(["doctor"], near)).out).toContain("virt-platform-autopilot-1_a leads");
});

const machineConfigs = "machineconfiguration.openshift.io";
