import type { JsonMap, KubeObject } from "@virt/api";
import fc from "fast-check";
import { expect, test } from "vitest";
import { assessed, notAssessed } from "./assessed.ts";
import {
  classOfChange,
  classOfWrite,
  diffConfigs,
  disruptionOf,
  publishedDisruption,
  readDisruptionPolicies,
  severityOfClass,
} from "./disruption-class.ts";
import { policyObject, poolObject, psiConfig } from "./testing/cluster-builder.ts";

const config = (spec: JsonMap): KubeObject => ({
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfig",
  metadata: { name: "any", labels: { "machineconfiguration.openshift.io/role": "worker" } },
  spec,
});
const files = (...paths: readonly string[]) =>
  config({ config: { storage: { files: paths.map((path) => ({ path, contents: { source: "data:,a" } })) } } });
const units = (...names: readonly string[]) =>
  config({ config: { systemd: { units: names.map((name) => ({ name, enabled: true })) } } });
const keys = config({ config: { passwd: { users: [{ name: "core", sshAuthorizedKeys: ["a"] }] } } });

const cases: readonly {
  reason: string;
  before?: KubeObject;
  after: KubeObject;
  policies?: KubeObject;
  expected: string;
}[] = [
  { reason: "an image reboots", after: config({ osImageURL: "registry/a" }), expected: "Reboot" },
  { reason: "a kernel argument reboots", after: config({ kernelArguments: ["psi=1"] }), expected: "Reboot" },
  {
    reason: "the order of kernel arguments matters",
    before: config({ kernelArguments: ["a", "b"] }),
    after: config({ kernelArguments: ["b", "a"] }),
    expected: "Reboot",
  },
  { reason: "another kernel reboots", after: config({ kernelType: "realtime" }), expected: "Reboot" },
  { reason: "the default kernel is not a change", after: config({ kernelType: "default" }), expected: "None" },
  { reason: "an extension reboots", after: config({ extensions: ["usbguard"] }), expected: "Reboot" },
  { reason: "FIPS reboots", after: config({ fips: true }), expected: "Reboot" },
  {
    reason: "members that the operator fills in do not count as a change",
    after: config({ fips: false, osImageURL: "" }),
    expected: "None",
  },
  { reason: "a file without a policy reboots", after: files("/etc/a"), expected: "Reboot" },
  { reason: "a unit without a policy reboots", after: units("a.service"), expected: "Reboot" },
  { reason: "SSH keys without a policy reboot", after: keys, expected: "Reboot" },
  {
    reason: "a file follows its policy",
    after: files("/etc/a"),
    policies: policyObject({ "/etc/a": ["None"] }),
    expected: "None",
  },
  {
    reason: "a file follows the policy of its directory",
    after: files("/etc/a/b/c"),
    policies: policyObject({ "/etc/a": ["Restart"] }),
    expected: "Reload",
  },
  {
    reason: "the longest path wins",
    after: files("/etc/a/b/c"),
    policies: policyObject({ "/etc/a": ["None"], "/etc/a/b": ["Drain"], "/etc": ["Reboot"] }),
    expected: "Drain",
  },
  {
    reason: "a path with the same start is not a directory",
    after: files("/etc/ab"),
    policies: policyObject({ "/etc/a": ["None"] }),
    expected: "Reboot",
  },
  {
    reason: "a policy for the root does not count",
    after: files("/etc/a"),
    policies: policyObject({ "/": ["Special"] }),
    expected: "Reboot",
  },
  {
    reason: "a unit follows the policy of its exact name",
    after: units("a.service"),
    policies: policyObject({}, { "b.service": ["None"] }),
    expected: "Reboot",
  },
  {
    reason: "the worst action wins",
    after: units("a.service", "b.service"),
    policies: policyObject({}, { "a.service": ["DaemonReload", "Reload"], "b.service": ["None"] }),
    expected: "Reload",
  },
  { reason: "SSH keys follow their policy", after: keys, policies: policyObject({}, {}, ["None"]), expected: "None" },
  {
    reason: "an unknown action reboots",
    after: files("/etc/a"),
    policies: policyObject({ "/etc/a": ["Levitate"] }),
    expected: "Reboot",
  },
  {
    reason: "a policy without actions reboots",
    after: files("/etc/a"),
    policies: policyObject({ "/etc/a": [] }),
    expected: "Reboot",
  },
  { reason: "equal content is not a change", before: files("/etc/a"), after: files("/etc/a"), expected: "None" },
];

test.each(cases)("$reason", ({ before, after, policies, expected }) => {
  const known = assessed(readDisruptionPolicies(policies));
  expect(classOfChange(diffConfigs(before, after), known)).toBe(expected);
  expect(classOfChange(diffConfigs(after, before), known)).toBe(expected);
});

test("unread policies reboot for any change", () => {
  const unknown = notAssessed("Forbidden");
  expect(classOfChange(diffConfigs(undefined, files("/etc/a")), unknown)).toBe("Reboot");
  expect(classOfChange(diffConfigs(keys, keys), unknown)).toBe("None");
});

test("the severity follows from the class", () => {
  expect((["Reboot", "Drain", "Reload", "None"] as const).map(severityOfClass)).toEqual([
    "High",
    "High",
    "Medium",
    "Low",
  ]);
});

test("each affected pool gets its worst class, also by inheritance", () => {
  const pools = [poolObject("worker"), poolObject("master"), poolObject("infra")];
  const policies = assessed(readDisruptionPolicies(policyObject({ "/etc/a": ["Restart"], "/etc/b": ["None"] })));
  const writes = [
    { before: undefined, after: files("/etc/a") },
    { before: undefined, after: files("/etc/b") },
  ];
  expect(disruptionOf(writes, pools, policies)).toEqual([
    { pool: "infra", class: "Reload" },
    { pool: "worker", class: "Reload" },
  ]);
  expect(disruptionOf([...writes, { before: psiConfig("master"), after: undefined }], pools, policies)).toEqual([
    { pool: "infra", class: "Reload" },
    { pool: "master", class: "Reboot" },
    { pool: "worker", class: "Reload" },
  ]);
  expect(disruptionOf([{ before: undefined, after: files("/etc/b") }], pools, policies)).toEqual([]);
});

test.each([
  ["worker", "master"],
  ["master", "worker"],
])("a MachineConfig that moves from %s to %s affects both pools", (from, to) => {
  const pools = [poolObject("worker"), poolObject("master")];
  const write = { before: psiConfig(from), after: psiConfig(to) };
  const policies = assessed(readDisruptionPolicies(undefined));
  expect(disruptionOf([write], pools, policies)).toEqual([
    { pool: "master", class: "Reboot" },
    { pool: "worker", class: "Reboot" },
  ]);
  expect(classOfWrite(write, pools, policies)).toBe("Reboot");
});

test("a pool that keeps a MachineConfig is not affected by its role", () => {
  const selectsBoth = poolObject("both", {
    machineConfigSelector: {
      matchExpressions: [
        { key: "machineconfiguration.openshift.io/role", operator: "In", values: ["worker", "master"] },
      ],
    },
  });
  const write = { before: psiConfig("worker"), after: psiConfig("master") };
  const pools = [poolObject("worker"), poolObject("master"), selectsBoth];
  const found = disruptionOf([write], pools, assessed(readDisruptionPolicies(undefined)));
  expect(found.map(({ pool }) => pool)).toEqual(["master", "worker"]);
});

test("finds all pools and publishes those that fit in a status", () => {
  const custom = Array.from({ length: 20 }, (_, at) => poolObject(`pool-${at}`));
  const found = disruptionOf(
    [{ before: undefined, after: psiConfig() }],
    [...custom, poolObject("worker")],
    notAssessed("NotServed"),
  );
  expect(found.length).toBe(21);
  expect(publishedDisruption(found)).toEqual(found.slice(0, 16));
});

// The expected result is computed with the daemon's rules, from a simplified model of a config.
const paths = ["/etc/a", "/etc/a/b", "/etc/a/b/c", "/etc/ab", "/usr/x"];
const unitNames = ["a.service", "b.service"];
const version = fc.integer({ min: 0, max: 2 }); // 0: absent
const anyModel = fc.record({
  system: fc.constantFrom(0, 0, 0, 0, 1, 2, 3, 4, 5),
  files: fc.tuple(version, version, version, version, version),
  units: fc.tuple(version, version),
  users: version,
});
type Model = { system: number; files: readonly number[]; units: readonly number[]; users: number };
const systems: readonly JsonMap[] = [
  {},
  { osImageURL: "registry/a" },
  { kernelArguments: ["a"] },
  { kernelType: "realtime" },
  { extensions: ["a"] },
  { fips: true },
];
const objectOf = ({ system, files, units, users }: Model) =>
  config({
    ...systems[system],
    config: {
      storage: {
        files: files.flatMap((number, at) => (number === 0 ? [] : [{ path: paths[at] ?? "", mode: number }])),
      },
      systemd: {
        units: units.flatMap((number, at) =>
          number === 0 ? [] : [{ name: unitNames[at] ?? "", contents: `${number}` }],
        ),
      },
      ...(users > 0 && { passwd: { users: [{ name: "core", sshAuthorizedKeys: [`${users}`] }] } }),
    },
  });
const anyActions = fc.array(
  fc.constantFrom("None", "None", "Reload", "Restart", "DaemonReload", "Drain", "Special", "Reboot"),
  { minLength: 1, maxLength: 2 },
);
const anyPolicies = fc.record({
  files: fc.dictionary(fc.constantFrom("/", "/etc", ...paths), anyActions, { maxKeys: 4 }),
  units: fc.dictionary(fc.constantFrom(...unitNames), anyActions, { maxKeys: 2 }),
  sshKey: fc.option(anyActions, { nil: undefined }),
});
type Policies = {
  files: Record<string, readonly string[]>;
  units: Record<string, readonly string[]>;
  sshKey: readonly string[] | undefined;
};

function oracle(before: Model, after: Model, policies: Policies): string {
  if (before.system !== after.system) return "Reboot";
  const actions: string[] = [];
  for (const [at, path] of paths.entries()) {
    if (before.files[at] === after.files[at]) continue;
    let directory = path;
    while (directory !== "" && policies.files[directory] === undefined)
      directory = directory.slice(0, directory.lastIndexOf("/"));
    if (directory === "") return "Reboot";
    actions.push(...(policies.files[directory] ?? []));
  }
  for (const [at, name] of unitNames.entries()) {
    if (before.units[at] === after.units[at]) continue;
    const found = policies.units[name];
    if (found === undefined) return "Reboot";
    actions.push(...found);
  }
  if (before.users !== after.users) {
    if (policies.sshKey === undefined) return "Reboot";
    actions.push(...policies.sshKey);
  }
  if (actions.includes("Reboot")) return "Reboot";
  if (actions.includes("Drain") || actions.includes("Special")) return "Drain";
  return actions.some((action) => action !== "None") ? "Reload" : "None";
}

test("the class of any change follows the daemon's rules", () => {
  const law = fc.property(anyModel, anyModel, anyPolicies, (before, after, policies) => {
    const known = assessed(readDisruptionPolicies(policyObject(policies.files, policies.units, policies.sshKey)));
    expect(classOfChange(diffConfigs(objectOf(before), objectOf(after)), known)).toBe(oracle(before, after, policies));
  });
  fc.assert(law);
});
