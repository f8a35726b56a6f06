import { asList, at, type Json, type KubeObject } from "@virt/objects";
import { beforeAll, expect, test } from "vitest";
import { anyImage, readManifests } from "../../../../tools/package/manifests.ts";
import { beside, install, policies } from "./read-bundle.ts";

let objects: readonly KubeObject[];

beforeAll(async () => {
  const { both, monitoring, console } = await readManifests(anyImage);
  objects = [...both, ...monitoring, ...console];
});

const plain = (value: Json): Json =>
  JSON.parse(
    JSON.stringify(value, (key, part: Json) => (key === "app.kubernetes.io/managed-by" ? undefined : part))
      .replaceAll(/virt-(advisor|platform)-operator-system/g, "virt-operators-system")
      .replaceAll('"namespace":"virt-operators-system",', "")
      .replaceAll(',"namespace":"virt-operators-system"', ""),
  );

const kindsOf = (...kinds: readonly string[]) => objects.filter(({ kind }) => kinds.includes(kind));
const byName = (list: readonly Json[]) =>
  list.toSorted((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1));

test("Deployments equal those of kustomize", () => {
  const listed = asList(at(install, "deployments")).map((one) =>
    plain({ name: at(one, "name"), spec: at(one, "spec") }),
  );
  const wanted = kindsOf("Deployment").map((one) => plain({ name: one.metadata.name, spec: at(one, "spec") }));
  expect(listed).toEqual(wanted);
});

const grants = [
  { field: "clusterPermissions", binding: "ClusterRoleBinding", role: "ClusterRole" },
  { field: "permissions", binding: "RoleBinding", role: "Role" },
];
test.each(grants)("$field grant each account the rules of its $role", ({ field, binding, role }) => {
  const accounts = kindsOf("ServiceAccount").map(({ metadata }) => metadata.name);
  for (const account of accounts) {
    const bound = kindsOf(binding).filter((one) => JSON.stringify(at(one, "subjects")).includes(`"${account}"`));
    const roles = bound.map((one) => at(one, "roleRef", "name"));
    const wanted = kindsOf(role).filter(({ metadata }) => roles.includes(metadata.name));
    const granted = asList(at(install, field)).filter((one) => at(one, "serviceAccountName") === account);
    expect(wanted.length).toBeGreaterThan(0);
    expect(granted.flatMap((one) => asList(at(one, "rules")))).toEqual(
      wanted.flatMap((one) => asList(at(plain(one), "rules"))),
    );
  }
});

test("ships all other objects except Namespaces as separate files", () => {
  const accounts = kindsOf("ServiceAccount").map(({ metadata }) => `"${metadata.name}"`);
  const isOurs = (one: KubeObject) =>
    accounts.some((account) => JSON.stringify(at(one, "subjects") ?? "").includes(account));
  const roles = kindsOf("ClusterRoleBinding", "RoleBinding")
    .filter(isOurs)
    .map((one) => at(one, "roleRef", "name"));
  const elsewhere = ["Namespace", "Deployment", "ServiceAccount"];
  const wanted = objects.filter(
    (one) => !elsewhere.includes(one.kind) && !isOurs(one) && !roles.includes(one.metadata.name),
  );
  expect(byName([...beside, ...policies].map(plain))).toEqual(byName(wanted.map(plain)));
});

test("ships admission policies separately, because OLM accepts none", () => {
  expect(policies.map(({ kind }) => kind)).toEqual(
    kindsOf("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding").map(({ kind }) => kind),
  );
  expect(beside.filter(({ kind }) => kind.startsWith("ValidatingAdmission"))).toEqual([]);
});
