import type { PlannedItem } from "@virt/advisor";
import type { JsonMap, KubeObject } from "@virt/api";
import { at, writeYaml } from "@virt/objects";
import { expect, test } from "vitest";
import profile from "./profile.ts";
import { factsWith, type HcoVersion, hcoWith, networkIn, noHco, policyWith } from "./testing/facts.ts";

const plan = (given: JsonMap | undefined, facts = factsWith()) => profile.plan(given, facts);
const [tier, everything] = [
  { vmLabels: { tier: "db" } },
  {
    perCluster: 20,
    perNode: 4,
    bandwidthPerMigration: "64Mi",
    completionSecondsPerGiB: 60,
    progressSeconds: 300,
    convergence: "PostCopy",
    network: "mig",
  },
];
const desiredOf = (item: PlannedItem | undefined) => (item?.operation === "Apply" ? item.desired : undefined);
const yamlOf = (item: PlannedItem | undefined) => {
  const desired = desiredOf(item);
  return desired === undefined ? "" : writeYaml(desired);
};

test("writes every given option to HyperConverged v1beta1", () => {
  const [item] = plan(everything);
  expect(yamlOf(item)).toBe(`apiVersion: hco.kubevirt.io/v1beta1
kind: HyperConverged
metadata:
  name: kubevirt-hyperconverged
  namespace: openshift-cnv
spec:
  liveMigrationConfig:
    allowAutoConverge: false
    allowPostCopy: true
    bandwidthPerMigration: 64Mi
    completionTimeoutPerGiB: 60
    network: mig
    parallelMigrationsPerCluster: 20
    parallelOutboundMigrationsPerNode: 4
    progressTimeout: 300
`);
});

test("HyperConverged v1 gets the same values below spec.virtualization", () => {
  const [before, now] = (["v1beta1", "v1"] as const).map((version) => {
    const [item] = plan(everything, factsWith({ hco: hcoWith(version, {}) }));
    return { values: at(desiredOf(item) ?? null, "spec"), fields: item?.managedFields };
  });
  expect(now).toEqual({
    values: { virtualization: before?.values },
    fields: before?.fields?.map((field) => field.replace("spec.", "spec.virtualization.")),
  });
});

const convergences = [
  { convergence: "None", values: [false, false] },
  { convergence: "AutoConverge", values: [true, false] },
  { convergence: "PostCopy", values: [false, true] },
];

test.each(convergences)("convergence $convergence sets both switches", ({ convergence, values }) => {
  const [item] = plan({ convergence });
  const written = (key: string) => at(desiredOf(item) ?? null, "spec", "liveMigrationConfig", key);
  expect([written("allowAutoConverge"), written("allowPostCopy")]).toEqual(values);
});

test.each(["v1", "v1beta1"] satisfies HcoVersion[])("owns only the given fields of %s", (version) => {
  const [item] = plan({ perNode: 3 }, factsWith({ hco: hcoWith(version, { parallelMigrationsPerCluster: 9 }) }));
  const path = version === "v1" ? "spec.virtualization" : "spec";
  expect(item?.managedFields).toEqual([`${path}.liveMigrationConfig.parallelOutboundMigrationsPerNode`]);
});

test("a disabled profile applies no fields and deletes the policy last", () => {
  const items = plan({ enabled: false, perCluster: 20, policy: tier });
  expect(items.map(({ name, operation }) => [name, operation])).toEqual([
    ["configure-live-migration", "Apply"],
    ["configure-migration-policy", "Delete"],
  ]);
  expect(desiredOf(items[0])).not.toHaveProperty("spec");
  expect(profile.needs({ enabled: false, network: "mig", policy: tier }).map(({ kind }) => kind)).toEqual([
    "HyperConverged",
  ]);
});

test("plans no removal where the cluster has no MigrationPolicies", () => {
  expect(plan({ perCluster: 9 }, factsWith({ policySchema: undefined }))).toHaveLength(1);
});

test("writes the policy with its own values", () => {
  const policy = {
    ...tier,
    namespaceLabels: { "example.com/zone": "a" },
    convergence: "AutoConverge",
    bandwidthPerMigration: "0",
    completionSecondsPerGiB: 30,
  };
  const [, item] = plan({ policy });
  expect(yamlOf(item)).toBe(`apiVersion: migrations.kubevirt.io/v1alpha1
kind: MigrationPolicy
metadata:
  name: virt-live-migration
spec:
  allowAutoConverge: true
  allowPostCopy: false
  bandwidthPerMigration: "0"
  completionTimeoutPerGiB: 30
  selectors:
    namespaceSelector:
      example.com/zone: a
    virtualMachineInstanceSelector:
      tier: db
`);
  expect(item?.message).toBe("MigrationPolicy 'virt-live-migration' will select VMs by tier=db, example.com/zone=a");
});

test("requires the kinds of the given options", () => {
  const needs = (given: JsonMap) => profile.needs(given).map(({ shown, remedy }) => `${shown}: ${remedy}`);
  const virtualization = "Install OpenShift Virtualization via OLM";
  expect(needs({ perCluster: 5 })).toEqual([`hco.kubevirt.io.v1beta1: ${virtualization}`]);
  expect(needs({ network: "mig", policy: tier })).toEqual([
    `hco.kubevirt.io.v1beta1: ${virtualization}`,
    `migrations.kubevirt.io.v1alpha1: ${virtualization}`,
    "k8s.cni.cncf.io.v1: Install the cluster's Multus or Network Operator",
  ]);
});

const invalid = { kind: "invalid", message: "Set at least one option of liveMigration" };
const absent = { kind: "absent", message: "NetworkAttachmentDefinition 'openshift-cnv/mig' does not exist" };
const refusals: readonly {
  readonly reason: string;
  readonly given: JsonMap | undefined;
  readonly facts?: Parameters<typeof factsWith>[0];
  readonly expected: object | undefined;
}[] = [
  { reason: "no options", given: undefined, expected: invalid },
  { reason: "only enabled", given: { enabled: true }, expected: invalid },
  { reason: "a disabled profile without options", given: { enabled: false }, expected: undefined },
  { reason: "one option", given: { perCluster: 9 }, expected: undefined },
  {
    reason: "no HyperConverged",
    given: { perCluster: 9 },
    facts: { hco: noHco("v1") },
    expected: { kind: "absent", message: "HyperConverged 'kubevirt-hyperconverged' does not exist" },
  },
  { reason: "no such network", given: { network: "mig" }, expected: absent },
  {
    reason: "a network in another namespace",
    given: { network: "mig" },
    facts: { networks: [networkIn("default", "mig")] },
    expected: absent,
  },
  {
    reason: "a network beside the HyperConverged",
    given: { network: "mig" },
    facts: { networks: [networkIn("openshift-cnv", "mig")] },
    expected: undefined,
  },
  { reason: "a disabled profile with a network", given: { enabled: false, network: "mig" }, expected: undefined },
];

test.each(refusals)("accepts or refuses $reason", ({ given, facts, expected }) => {
  expect({ refusal: profile.refuse(given, factsWith(facts)) }).toMatchObject({ refusal: expected });
});

test("the configuration of the network is the only input", () => {
  const inputOf = (config?: string) => {
    const networks = config === undefined ? [] : [networkIn("openshift-cnv", "mig", config)];
    return profile.inputs({ network: "mig", perCluster: 5 }, factsWith({ networks }));
  };
  const [first, second] = [inputOf("a"), inputOf("b")];
  expect([first.length, first[0]?.name]).toEqual([1, "networkAttachmentDefinition"]);
  expect(first[0]?.now).toMatch(/^[0-9a-f]{64}$/);
  expect(second[0]?.now).not.toBe(first[0]?.now);
  expect(inputOf()[0]?.now).toBeUndefined();
  expect(profile.inputs({ perCluster: 5 }, factsWith())).toEqual([]);
});

const nodes = ["a", "b", "c"].map((name): KubeObject => ({ apiVersion: "v1", kind: "Node", metadata: { name } }));
const threeNodes = { vmNodes: { roles: ["worker"], nodes } } as const;
const loadAwareWith = (action: string, inputs: readonly string[]) => ({
  kind: "found" as const,
  object: {
    apiVersion: "advisor.kubevirt.io/v1alpha1",
    kind: "VirtPlatformConfig",
    metadata: { name: "load-aware-rebalancing" },
    spec: { profile: "load-aware-rebalancing", action },
    status: { executedGeneration: 1, inputs: inputs.map((name) => ({ name })) },
  },
});
const needsReview =
  "VirtPlatformConfig 'load-aware-rebalancing' derives its eviction limits from these values and needs a new review";
const bothInputs = ["parallelMigrationsPerCluster", "parallelOutboundMigrationsPerNode"];

const warned: readonly {
  readonly reason: string;
  readonly given: JsonMap;
  readonly facts?: Parameters<typeof factsWith>[0];
  readonly expected: readonly string[];
}[] = [
  {
    reason: "post-copy",
    given: { convergence: "PostCopy" },
    expected: ["PostCopy: a network failure during a migration loses the VM"],
  },
  {
    reason: "auto-converge",
    given: { convergence: "AutoConverge" },
    expected: ["AutoConverge slows down guests that change memory fast"],
  },
  {
    reason: "a limit above that of all nodes",
    given: { perCluster: 20, perNode: 4 },
    facts: threeNodes,
    expected: ["perCluster 20 cannot be reached: 3 nodes x perNode 4"],
  },
  {
    reason: "a limit above that of all nodes with the current perNode",
    given: { perCluster: 7 },
    facts: threeNodes,
    expected: ["perCluster 7 cannot be reached: 3 nodes x perNode 2"],
  },
  { reason: "a limit that the nodes reach", given: { perCluster: 6 }, facts: threeNodes, expected: [] },
  { reason: "other options", given: { progressSeconds: 60 }, facts: threeNodes, expected: [] },
  {
    reason: "a bandwidth too low for the current timeout",
    given: { bandwidthPerMigration: "1Mi" },
    expected: ["At 1Mi a GiB takes 1024 seconds: migrations are cancelled"],
  },
  {
    reason: "a timeout too short for the current bandwidth",
    given: { completionSecondsPerGiB: 10 },
    facts: { hco: hcoWith("v1", { bandwidthPerMigration: "64Mi" }) },
    expected: ["At 64Mi a GiB takes 16 seconds: migrations are cancelled"],
  },
  { reason: "no bandwidth limit", given: { bandwidthPerMigration: "0", completionSecondsPerGiB: 10 }, expected: [] },
  {
    reason: "a changed input of load-aware rebalancing",
    given: { perNode: 3 },
    facts: { loadAware: loadAwareWith("Apply", bothInputs) },
    expected: [needsReview],
  },
  {
    reason: "an input with the current value",
    given: { perCluster: 5 },
    facts: { loadAware: loadAwareWith("Apply", bothInputs) },
    expected: [],
  },
  {
    reason: "a value that load-aware rebalancing does not use",
    given: { perCluster: 9 },
    facts: { loadAware: loadAwareWith("Apply", []) },
    expected: [],
  },
  {
    reason: "ignored load-aware rebalancing",
    given: { perCluster: 9 },
    facts: { loadAware: loadAwareWith("Ignore", bothInputs) },
    expected: [],
  },
];

test.each(warned)("warnings for $reason", ({ given, facts, expected }) => {
  expect(plan(given, factsWith(facts))[0]?.warnings).toEqual(expected);
});

const rivals = [
  { reason: "a policy with another label", selectors: { virtualMachineInstanceSelector: { os: "linux" } }, is: true },
  { reason: "a policy with the same label", selectors: { virtualMachineInstanceSelector: { tier: "db" } }, is: true },
  { reason: "a policy for all VMs of a namespace", selectors: { namespaceSelector: { team: "a" } }, is: true },
  { reason: "a policy with another value", selectors: { virtualMachineInstanceSelector: { tier: "web" } }, is: false },
];

test.each(rivals)("$reason also matches: $is", ({ selectors, is }) => {
  const policies = [policyWith("other", selectors), policyWith("virt-live-migration", selectors)];
  const [, item] = plan({ policy: tier }, factsWith({ policies }));
  const text =
    "MigrationPolicy 'other' also matches: KubeVirt takes the policy with more matching labels, then the first by name";
  expect(item?.warnings).toEqual(is ? [text] : []);
});

test("only a change of the network has impact Medium and a warning", () => {
  const [item] = plan({ network: "mig" });
  if (item?.operation !== "Apply") throw new Error("the plan has no apply");
  const hco = (network?: string) => hcoWith("v1", network === undefined ? {} : { network }).object as KubeObject;
  const ofChange = (before: string | undefined, after: string | undefined) => {
    const result = { live: hco(before), predicted: hco(after) };
    return [item.changeImpact?.(result), profile.dryRunWarnings?.(item, result).length];
  };
  expect(ofChange(undefined, "mig")).toEqual(["Medium", 1]);
  expect(ofChange("mig", undefined)).toEqual(["Medium", 1]);
  expect(ofChange("mig", "mig")).toEqual(["Low", 0]);
});
