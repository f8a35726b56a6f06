// Evaluates the expressions of the OperationRuleSets with the CEL of a real API server.

import { operationRules } from "@virt/catalog";
import { borrowServer, type Server } from "@virt/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { untilPoliciesEnforced } from "../support/account.ts";

const group = "operations.example.com";
const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const subjects = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `subjects.${group}` },
  spec: {
    group,
    names: { kind: "Subject", listKind: "SubjectList", plural: "subjects", singular: "subject" },
    scope: "Cluster",
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", properties: { spec: open, status: open } } },
      },
    ],
  },
};

/** A policy that rejects every object. The message lists the operations that the rules of the named set detect. */
function policyFor({ name, operations }: (typeof operationRules)[number]): readonly object[] {
  const rules = Object.entries(operations).map(([operation, expression]) => ({ operation, expression }));
  const metadata = { name: `rules.${name}` };
  const apiVersion = "admissionregistration.k8s.io/v1";
  const detected = rules.map(({ operation }, at) => `variables.rule${at} ? '${operation}' : ''`);
  const spec = {
    matchConstraints: {
      resourceRules: [
        {
          apiGroups: [group],
          apiVersions: ["v1"],
          operations: ["CREATE"],
          resources: ["subjects"],
          resourceNames: [name],
        },
      ],
    },
    variables: rules.map(({ expression }, at) => ({ name: `rule${at}`, expression })),
    validations: [
      {
        expression: "false",
        messageExpression: `'detected:' + [${detected.join(", ")}].filter(one, one != '').join(',')`,
      },
    ],
  };
  return [
    { apiVersion, kind: "ValidatingAdmissionPolicy", metadata, spec },
    {
      apiVersion,
      kind: "ValidatingAdmissionPolicyBinding",
      metadata,
      spec: { policyName: metadata.name, validationActions: ["Deny"] },
    },
  ];
}

let server: Server;
beforeAll(async () => {
  server = await borrowServer({
    name: "operation rules",
    prepare: async (fresh) => {
      await fresh.installCrds([subjects]);
      for (const object of operationRules.flatMap(policyFor)) {
        const plural = `${(object as { readonly kind: string }).kind.toLowerCase().replace(/y$/, "ie")}s`;
        const path = `/apis/admissionregistration.k8s.io/v1/${plural}`;
        const { status, body } = await fresh.request({ method: "POST", path, body: object });
        if (status !== 201) throw new Error(JSON.stringify(body));
      }
    },
  });
  await untilPoliciesEnforced(server);
}, 300_000);
afterAll(() => server?.stop());

async function detected(name: string, content: object): Promise<readonly string[]> {
  const body = { apiVersion: `${group}/v1`, kind: "Subject", metadata: { name }, ...content };
  const path = `/apis/${group}/v1/subjects?dryRun=All`;
  const { body: answer } = await server.request({ method: "POST", path, body });
  const { message = "" } = answer as { readonly message?: string };
  const found = /detected:([A-Za-z,]*)$/.exec(message)?.[1];
  if (found === undefined) throw new Error(`the rules of ${name} failed: ${message}`);
  return found === "" ? [] : found.split(",");
}

const condition = (type: string, status = "True", reason?: string) => ({ type, status, ...(reason && { reason }) });
const conditions = (...all: readonly ReturnType<typeof condition>[]) => ({ status: { conditions: all } });
const states = (available: string, progressing: string, degraded: string) =>
  conditions(condition("Available", available), condition("Progressing", progressing), condition("Degraded", degraded));

describe.each(operationRules)("the rules of $name", ({ name }) => {
  test.each([
    { what: "no status", content: {} },
    { what: "an empty status", content: { spec: {}, status: {} } },
    { what: "an unknown phase", content: { status: { phase: "Other", printableStatus: "Other", readyToUse: true } } },
    {
      what: "conditions without fields",
      content: { status: { conditions: [{}, { type: "Progressing" }], history: [{}] } },
    },
  ])("detect nothing in an object with $what", async ({ content }) => {
    const pending = "status" in content && !("readyToUse" in content.status);
    expect(await detected(name, content)).toEqual(name === "volumesnapshot" && pending ? ["Provisioning"] : []);
  });
});

const byPhase = operationRules.flatMap(({ name, operations }) =>
  Object.entries(operations)
    .filter(([operation, expression]) => expression.endsWith(`object.status.phase == '${operation}'`))
    .map(([operation]) => ({ name, operation })),
);

test("the phase alone decides most operations", () => {
  expect(byPhase.length).toBeGreaterThanOrEqual(60);
});

test.concurrent.each(byPhase)("phase $operation of $name is its operation", async ({ name, operation }) => {
  expect(await detected(name, { status: { phase: operation } })).toEqual([operation]);
});

test.concurrent.each(
  ["hco", "kubevirt", "cdi", "ssp", "cnao", "hpp", "aaq", "clusteroperator", "clusterversion"].map((name) => ({
    name,
  })),
)("the conditions of $name result in one operation at most", async ({ name }) => {
  const found = [
    ["False", "True", "False"],
    ["True", "True", "False"],
    ["True", "True", "True"],
    ["False", "True", "True"],
    ["False", "False", "True"],
    ["True", "False", "False"],
  ].map(([a = "", p = "", d = ""]) => detected(name, states(a, p, d)));
  expect(await Promise.all(found)).toEqual([
    ["Deploying"],
    ["Reconciling"],
    ["ReconcilingDegraded"],
    ["Healing"],
    ["Failing"],
    [],
  ]);
});

const fenced = (status: string, reason: string) => conditions(condition("FenceAgentActionSucceeded", status, reason));

test.concurrent.each([
  { name: "volumesnapshot", content: { status: { readyToUse: false } }, operations: ["Provisioning"] },
  { name: "fenceagentsremediation", content: conditions(condition("Processing")), operations: ["Remediating"] },
  { name: "fenceagentsremediation", content: fenced("False", "Failing"), operations: ["Failing"] },
  { name: "fenceagentsremediation", content: fenced("False", "TimingOut"), operations: ["TimingOut"] },
  { name: "fenceagentsremediation", content: fenced("True", "Failing"), operations: [] },
  { name: "plan", content: conditions(condition("Executing")), operations: ["Executing"] },
  { name: "plan", content: conditions(condition("Executing", "False")), operations: [] },
  {
    name: "kubevirt",
    content: { status: { observedKubeVirtVersion: "1", targetKubeVirtVersion: "2" } },
    operations: ["Upgrading"],
  },
  {
    name: "kubevirt",
    content: { status: { observedKubeVirtVersion: "1", targetKubeVirtVersion: "1" } },
    operations: [],
  },
  {
    name: "kubevirt",
    content: { status: { conditions: [condition("Available")], outdatedVirtualMachineInstanceWorkloads: 3 } },
    operations: ["UpdateRollingOut"],
  },
  {
    name: "kubevirt",
    content: { status: { conditions: [condition("Available")], outdatedVirtualMachineInstanceWorkloads: 0 } },
    operations: [],
  },
  { name: "ssp", content: { status: { paused: true } }, operations: ["Paused"] },
  { name: "vm-lifecycle", content: { status: { printableStatus: "Migrating" } }, operations: ["Migrating"] },
  { name: "vmi", content: conditions(condition("HotVCPUChange")), operations: ["VCPUChange"] },
  { name: "vmi", content: conditions(condition("HotMemoryChange")), operations: ["MemoryChange"] },
  { name: "nnce", content: conditions(condition("Progressing")), operations: ["Configuring"] },
  { name: "nnce", content: conditions(condition("Failing")), operations: ["Failing"] },
  { name: "nncp", content: conditions(condition("Progressing")), operations: ["Configuring"] },
  {
    name: "nncp",
    content: conditions(condition("Progressing"), condition("Degraded")),
    operations: ["ConfiguringDegraded"],
  },
  { name: "nodemaintenance", content: { status: { phase: "Running" } }, operations: ["Draining"] },
  {
    name: "velero-backup",
    content: { status: { phase: "WaitingForPluginOperationsPartiallyFailed" } },
    operations: ["WaitingForPluginOperations"],
  },
  { name: "velero-restore", content: { status: { phase: "FinalizingPartiallyFailed" } }, operations: ["Finalizing"] },
  { name: "velero-deletebackuprequest", content: { status: { phase: "InProgress" } }, operations: ["Deleting"] },
  { name: "velero-dataupload", content: { status: { phase: "Prepared" } }, operations: ["InProgress"] },
  { name: "csv", content: { status: { phase: "Failed" } }, operations: ["Failing"] },
  { name: "subscription", content: conditions(condition("BundleUnpacking")), operations: ["Unpacking"] },
  { name: "machineset", content: { spec: { replicas: 1 }, status: {} }, operations: ["ScalingUp"] },
  { name: "machineset", content: { spec: { replicas: 3 }, status: { readyReplicas: 3 } }, operations: [] },
  { name: "machineset", content: { spec: { replicas: 0 }, status: { readyReplicas: 1 } }, operations: ["ScalingDown"] },
  { name: "clusteroperator", content: conditions(condition("Upgradeable", "False")), operations: ["NotUpgradeable"] },
  {
    name: "clusterversion",
    content: { status: { history: [{ state: "Partial" }, { state: "Completed" }] } },
    operations: ["PartialUpdate"],
  },
  {
    name: "clusterversion",
    content: { status: { history: [{ state: "Completed" }, { state: "Partial" }] } },
    operations: [],
  },
  { name: "clusterversion", content: { status: { history: [] } }, operations: [] },
  { name: "storageversionmigration", content: conditions(condition("Running")), operations: ["Migrating"] },
  {
    name: "machineconfigpool",
    content: conditions(condition("Updating"), condition("Degraded", "False")),
    operations: ["Updating"],
  },
  {
    name: "machineconfigpool",
    content: conditions(condition("Updating"), condition("Degraded")),
    operations: ["UpdatingDegraded"],
  },
  {
    name: "machineconfigpool",
    content: conditions(condition("Updating", "False"), condition("Degraded"), condition("NodeDegraded")),
    operations: ["Degraded", "NodeDegraded"],
  },
  { name: "machineconfigpool", content: { spec: { paused: true } }, operations: ["Paused"] },
])("$name detects $operations in $content", async ({ name, content, operations }) => {
  expect(await detected(name, content)).toEqual(operations);
});
