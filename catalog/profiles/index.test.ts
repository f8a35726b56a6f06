import { readdirSync } from "node:fs";
import { defineProfile, deletableKinds } from "@virt/advisor";
import { type KubeObject, profileManager } from "@virt/api";
import { objects } from "@virt/cluster";
import { at } from "@virt/objects";
import { inRepository } from "@virt/testkit";
import { expect, test } from "vitest";
import { profiles } from "../index.ts";

test("the index lists every folder under its name", () => {
  const entries = readdirSync(inRepository("catalog", "profiles"), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  expect(profiles.map(({ name }) => name).toSorted()).toEqual(folders.toSorted());
});

test("the production profiles have their published texts", () => {
  const advertised = profiles.filter(({ isAdvertised }) => isAdvertised);
  const texts = advertised.map(({ name, category, description, impactSummary }) => [
    name,
    category,
    description,
    impactSummary,
  ]);
  for (const expected of [
    [
      "live-migration",
      "migration",
      "Sets limits, convergence and network of live migrations",
      "Low - Medium if the migration network changes, because virt-handler restarts on every node",
    ],
    [
      "load-aware-rebalancing",
      "scheduling",
      "Enables load-aware VM rebalancing and PSI metrics for intelligent scheduling",
      "Medium - May require node reboots if PSI metrics are enabled",
    ],
    [
      "virt-higher-density",
      "density",
      "Enables higher VM density through swap and other optimizations",
      "Enables swap for kubelet to allow memory overcommit and higher VM density. Requires nodes with swap partition labeled CNV_SWAP.",
    ],
  ])
    expect(texts).toContainEqual(expected);
});

test("each profile declares its impact, purposes and targets", () => {
  const byName = Object.fromEntries(profiles.map((profile) => [profile.name, profile]));
  const machineConfigs = {
    group: "machineconfiguration.openshift.io",
    kind: "MachineConfig",
    plural: "machineconfigs",
  };
  expect(byName).toMatchObject({
    "load-aware-rebalancing": {
      impact: "High",
      optionsKey: "loadAware",
      purposes: ["psi", "vm-rebalancing"],
      targets: [
        { ...machineConfigs, names: ["99-worker-psi-karg", "99-master-psi-karg"], isDeleted: true },
        { group: "operator.openshift.io", kind: "KubeDescheduler", plural: "kubedeschedulers", names: ["cluster"] },
      ],
    },
    "virt-higher-density": {
      impact: "High",
      optionsKey: "virtHigherDensity",
      purposes: ["kubelet-swap"],
      targets: [
        { ...machineConfigs, names: ["90-worker-kubelet-swap", "90-master-kubelet-swap"], isDeleted: true },
        {
          group: "hco.kubevirt.io",
          kind: "HyperConverged",
          plural: "hyperconvergeds",
          names: ["kubevirt-hyperconverged"],
        },
      ],
    },
    "live-migration": {
      impact: "Medium",
      optionsKey: "liveMigration",
      purposes: [],
      targets: [
        { group: "hco.kubevirt.io", kind: "HyperConverged", names: ["kubevirt-hyperconverged"], isNeverCreated: true },
        { group: "migrations.kubevirt.io", kind: "MigrationPolicy", names: ["virt-live-migration"], isDeleted: true },
      ],
    },
    "vm-high-availability": {
      impact: "Medium",
      optionsKey: "vmHighAvailability",
      purposes: ["node-remediation"],
      targets: [
        { kind: "NodeHealthCheck", plural: "nodehealthchecks", names: ["virt-node-health-check"], isDeleted: true },
        { kind: "HyperConverged", names: ["kubevirt-hyperconverged"], isNeverCreated: true },
      ],
    },
    "example-profile": {
      impact: "Low",
      purposes: [],
      targets: [{ group: "", kind: "ConfigMap", plural: "configmaps", names: ["example-config"] }],
    },
  });
});

test("profiles delete only kinds whose owners the informers keep", () => {
  expect([...deletableKinds]).toEqual(["MachineConfig", "MigrationPolicy", "NodeHealthCheck"]);
  const deleted = profiles.flatMap(({ targets }) => targets.filter(({ isDeleted }) => isDeleted === true));
  expect(deleted.filter(({ kind }) => !deletableKinds.has(kind))).toEqual([]);
});

test("a profile can read all objects of a kind, trimmed to the fields that it uses", () => {
  const selector = ["spec", "selector"] as const;
  const profile = defineProfile({
    name: "one-check",
    category: "test",
    description: "",
    impactSummary: "",
    impact: "Low",
    documentation: "EXAMPLE_PROFILE",
    isAdvertised: false,
    purposes: [],
    targets: [],
    reads: { checks: objects("remediation.medik8s.io/v1alpha1", "NodeHealthCheck", [selector]) },
    needs: () => [],
    inputs: () => [],
    plan: () => [],
    refuse: (_given, { checks }) => {
      const [first] = checks.filter((check) => at(check, ...selector) !== undefined);
      return first && { kind: "unfit", message: `${first.metadata.name} exists`, next: "delete it" };
    },
  });
  const check = { apiVersion: "remediation.medik8s.io/v1alpha1", kind: "NodeHealthCheck", metadata: { name: "mine" } };
  const refusalWith = (...checks: readonly KubeObject[]) => profile.refuse(undefined, { ownNamespace: "own", checks });
  expect(refusalWith()).toBeUndefined();
  expect(refusalWith(check)).toBeUndefined();
  expect(refusalWith({ ...check, spec: { selector: {} } })).toMatchObject({ message: "mine exists" });
});

test("profiles list kinds trimmed to single fields", () => {
  const lists = profiles.flatMap(({ reads }) =>
    Object.values(reads).flatMap((read) => (read.read === "objects" ? [read] : [])),
  );
  expect(lists).not.toEqual([]);
  const whole = lists.filter(({ parts }) => parts.some((path) => path.length < 2));
  expect(whole.map(({ kind }) => kind)).toEqual([]);
});

test("profiles that write the same object have different field managers", () => {
  const writers = profiles.flatMap(({ name, targets }) =>
    targets.flatMap(({ group, kind, names }) =>
      names.map((target) => ({ name, object: `${group}/${kind}/${target}` })),
    ),
  );
  for (const [object, all] of Map.groupBy(writers, (writer) => writer.object)) {
    const managers = all.map(({ name }) => profileManager(name));
    expect({ object, managers: [...new Set(managers)] }).toEqual({ object, managers });
  }
});
