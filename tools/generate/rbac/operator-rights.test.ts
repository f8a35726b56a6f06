// Derives the operators' rights from the declarations a second time, so that an excess verb fails here and not after a
// full run.

import { assets, expectedPolicies, profiles, tombstones } from "@virt/catalog";
import { loadAll } from "js-yaml";
import { expect, test } from "vitest";
import { policyRights } from "../admission/shipped-policies.ts";
import { advisor, platform } from "../operators.ts";
import { advisorRights } from "./advisor-rights.ts";
import { roleManifest } from "./operator-rights.ts";
import { platformRights } from "./platform-rights.ts";
import type { RoleRule } from "./right.ts";

const catalog = { assets, profiles, tombstones };

/** Verbs by `resource.group name`, or by `resource.group *` if a role cannot restrict the name. */
type Table = Record<string, Set<string>>;

const watchVerbs = ["list", "watch"];
const known = ["get", ...watchVerbs];
const mco = "machineconfiguration.openshift.io";

type RoleObject = { readonly rules: readonly RoleRule[] };

function tableOf(manifest: string): Table {
  const table: Table = {};
  const rules = (loadAll(manifest) as unknown as readonly RoleObject[]).flatMap((role) => role.rules);
  for (const { apiGroups, resources, resourceNames = ["*"], verbs } of rules)
    for (const group of apiGroups)
      for (const resource of resources)
        for (const name of resourceNames) add(table, `${resource}${group === "" ? "" : `.${group}`} ${name}`, verbs);
  return sorted(table);
}

function add(table: Table, key: string, verbs: readonly string[]): void {
  table[key] = new Set([...(table[key] ?? []), ...verbs]);
}

/** Omits verbs for a named object that are granted for all objects of the kind. */
function sorted(table: Table): Table {
  const entries = Object.entries(table).flatMap(([key, verbs]) => {
    const all = key.endsWith(" *") ? new Set() : (table[key.replace(/ .*/, " *")] ?? new Set());
    const left = [...verbs].filter((verb) => !all.has(verb)).toSorted();
    return left.length === 0 ? [] : [[key, new Set(left)] as const];
  });
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

const keyOf = (apiVersion: string, kind: string, name: string, crd?: string) => {
  const [group, version] = apiVersion.split("/");
  const plural = `${kind.toLowerCase()}s`.replace(/ys$/, "ies");
  return `${crd ?? `${plural}${version === undefined ? "" : `.${group}`}`} ${name}`;
};

/** Rights of both operators: CRDs, events, reviews for metrics, and their own policies. */
function commonRights(controller: "advisor" | "platform", lease: string): Table {
  const policies = expectedPolicies[controller].flatMap(({ name }) =>
    ["validatingadmissionpolicies", "validatingadmissionpolicybindings"].map(
      (kind) => [`${kind}.admissionregistration.k8s.io ${name}`, new Set(["get"])] as const,
    ),
  );
  return {
    ...Object.fromEntries(policies),
    "customresourcedefinitions.apiextensions.k8s.io *": new Set(known),
    "events.events.k8s.io *": new Set(["create", "patch"]),
    "deployments.apps virt-platform-autopilot": new Set(known),
    "tokenreviews.authentication.k8s.io *": new Set(["create"]),
    "subjectaccessreviews.authorization.k8s.io *": new Set(["create"]),
    "leases.coordination.k8s.io *": new Set(["create"]),
    [`leases.coordination.k8s.io ${lease}`]: new Set(["get", "update"]),
  };
}

test("the advisor's role has exactly the rights that its profiles declare", () => {
  const table = commonRights("advisor", "8f83cc6e.kubevirt.io");
  const configs = "virtplatformconfigs.advisor.kubevirt.io *";
  add(table, configs, known);
  const advertised = profiles.filter(({ isAdvertised }) => isAdvertised);
  if (advertised.length > 0) add(table, configs, ["create"]);
  for (const { name } of advertised) add(table, `virtplatformconfigs.advisor.kubevirt.io ${name}`, ["patch"]);
  add(table, "virtplatformconfigs/status.advisor.kubevirt.io *", ["update"]);
  add(table, "namespaces *", ["get"]);
  addImpact(table);
  add(table, `machineconfignodes.${mco} *`, watchVerbs);
  add(table, "virtualmachineinstancemigrations.kubevirt.io *", watchVerbs);
  add(table, `kubeletconfigs.${mco} *`, watchVerbs);
  add(table, "kubedeschedulers.operator.openshift.io cluster", watchVerbs);
  add(table, "hyperconvergeds.hco.kubevirt.io kubevirt-hyperconverged", watchVerbs);
  add(table, "infrastructures.config.openshift.io cluster", ["get"]);
  for (const { reads, targets } of profiles) {
    for (const { group, kind, plural, names, isDeleted, isNeverCreated } of targets) {
      for (const name of names)
        add(table, `${plural}${group === "" ? "" : `.${group}`} ${name}`, [
          ...known,
          "patch",
          ...(isNeverCreated === true ? [] : ["create"]),
          ...(isDeleted === true ? ["delete"] : []),
        ]);
      if (kind === "MachineConfig") addRollouts(table);
    }
    for (const read of Object.values(reads)) {
      if (read.read === "object") add(table, keyOf(read.ref.apiVersion, read.ref.kind, read.ref.name), watchVerbs);
      if (read.read === "objects") add(table, keyOf(read.apiVersion, read.kind, "*", read.crd), watchVerbs);
      if (read.read === "beside-hco") add(table, keyOf(read.ref.apiVersion, read.ref.kind, read.ref.name), ["get"]);
      if (read.read === "lookup" && read.ref.kind !== "Namespace")
        add(table, keyOf(read.ref.apiVersion, read.ref.kind, read.ref.name), ["get"]);
      if (read.read === "hco") add(table, "hyperconvergeds.hco.kubevirt.io kubevirt-hyperconverged", watchVerbs);
      if (read.read === "pools") add(table, `machineconfigpools.${mco} *`, watchVerbs);
      if (read.read === "vm-nodes") add(table, "nodes *", watchVerbs);
      if (read.read === "nodes") add(table, "nodes *", ["list"]);
      if (read.read === "kernel") addRollouts(table);
    }
  }
  expect(tableOf(roleManifest(advisor, advisorRights(profiles), policyRights(catalog, "advisor")))).toEqual(
    sorted(table),
  );
});

function addRollouts(table: Table): void {
  add(table, `machineconfigpools.${mco} *`, watchVerbs);
  add(table, `machineconfigs.${mco} *`, ["get"]);
}

/** Rights to assess the impact of a write. Pods have a separate role. */
function addImpact(table: Table): void {
  for (const key of ["nodes *", `machineconfigpools.${mco} *`, "poddisruptionbudgets.policy *"])
    add(table, key, watchVerbs);
  for (const kind of ["kubevirts", "virtualmachineinstances"]) add(table, `${kind}.kubevirt.io *`, watchVerbs);
  add(table, "virtualmachines.kubevirt.io *", ["get"]);
  add(table, "machineconfigurations.operator.openshift.io cluster", watchVerbs);
}

test("the platform operator's role has exactly the rights that its assets declare", () => {
  const table = commonRights("platform", "virt-platform-operator.kubevirt.io");
  add(table, "virtplatformconfigs.advisor.kubevirt.io *", watchVerbs);
  addImpact(table);
  for (const kind of ["infrastructures", "schedulers", "networks"])
    add(table, `${kind}.config.openshift.io cluster`, watchVerbs);
  for (const kind of ["mutatingwebhookconfigurations", "mutatingadmissionpolicies", "mutatingadmissionpolicybindings"])
    add(table, `${kind}.admissionregistration.k8s.io *`, watchVerbs);
  add(table, "configmaps virt-platform-operator-report", ["get", "create", "patch"]);
  add(table, "configmaps virt-platform-operator-governance", [...watchVerbs, "create", "patch"]);
  add(table, "configmaps virt-platform-operator-consent", [...watchVerbs, "create", "patch"]);
  add(table, "hyperconvergeds.hco.kubevirt.io kubevirt-hyperconverged", ["get"]);
  for (const asset of assets) {
    const { apiVersion, kind, name, namespace, crd } = asset.target;
    const key = keyOf(apiVersion, kind, name, crd);
    add(table, key, [...watchVerbs, "patch"]);
    if (asset.create !== false) add(table, key, ["create"]);
    if (asset.create !== false && asset.switch !== undefined) add(table, key, ["get", "delete"]);
    if (asset.singleton === true || asset.poolRule !== undefined)
      add(table, keyOf(apiVersion, kind, "*", crd), watchVerbs);
    if (asset.poolRule !== undefined) add(table, `machineconfigpools.${mco} ${asset.poolRule}`, watchVerbs);
    for (const ref of asset.alternates ?? []) add(table, keyOf(ref.apiVersion, ref.kind, ref.name), watchVerbs);
    if (namespace !== undefined && namespace !== "$hco")
      add(table, `namespaces ${namespace === "$operator" ? "virt-platform-operator-system" : namespace}`, watchVerbs);
    for (const read of Object.values(asset.reads)) {
      if (read.read === "object") add(table, keyOf(read.ref.apiVersion, read.ref.kind, read.ref.name), watchVerbs);
      if (read.read === "objects") add(table, keyOf(read.apiVersion, read.kind, "*"), watchVerbs);
      if (read.read === "pool") {
        add(table, `machineconfigpools.${mco} ${read.name}`, watchVerbs);
        add(table, `machineconfigs.${mco} *`, ["get"]);
      }
    }
  }
  for (const { apiVersion, kind, name } of tombstones) add(table, keyOf(apiVersion, kind, name), ["get", "delete"]);
  expect(tableOf(roleManifest(platform, platformRights(catalog), policyRights(catalog, "platform")))).toEqual(
    sorted(table),
  );
});
