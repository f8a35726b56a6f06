import { globSync, readFileSync } from "node:fs";
import { inRepository } from "@virt/testkit";
import { load } from "js-yaml";
import { expect, test } from "vitest";
import { grantedRights, rightText } from "../../../tools/rights/granted-rights.ts";

type Role = {
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly rules: readonly { readonly resources: readonly string[]; readonly verbs: readonly string[] }[];
};

const files = globSync("config/rbac/people/*_role.yaml", { cwd: inRepository() });
const roles = files.map((file) => load(readFileSync(inRepository(file), "utf8")) as Role);

/**
 * Kubernetes aggregates view into edit and edit into admin:
 * https://kubernetes.io/docs/reference/access-authn-authz/rbac/#user-facing-roles
 */
const includes = { view: ["view"], edit: ["view", "edit"], admin: ["view", "edit", "admin"] } as const;

function verbsOf(clusterRole: keyof typeof includes): readonly string[] {
  const labels = includes[clusterRole].map((role) => `rbac.authorization.k8s.io/aggregate-to-${role}`);
  const added = roles.filter(({ metadata }) => labels.some((label) => metadata.labels?.[label] === "true"));
  return [...new Set(added.flatMap(({ rules }) => rules.flatMap(({ verbs }) => verbs)))].toSorted();
}

test("cluster editors only read plans, and cluster admins approve them", () => {
  const read = ["get", "list", "watch"];
  expect(verbsOf("view")).toEqual(read);
  expect(verbsOf("edit")).toEqual(read);
  const change = ["create", "delete", "patch", "update"];
  expect(verbsOf("admin")).toEqual([...read, ...change, "approve", "deletecollection"].toSorted());
});

test("roles for users cover only configs and contain no wildcard", () => {
  const words = roles.flatMap(({ rules }) => rules.flatMap(({ resources, verbs }) => [...resources, ...verbs]));
  expect(words.filter((word) => word.includes("*") || word === "secrets")).toEqual([]);
  expect(new Set(roles.flatMap(({ rules }) => rules.flatMap(({ resources }) => resources)))).toEqual(
    new Set(["virtplatformconfigs"]),
  );
});

const operators = ["advisor", "platform"] as const;
const grantedTo = (operator: string) =>
  grantedRights(operator, readFileSync(inRepository("config", "rbac", operator, "role.yaml"), "utf8"));

test.each([...operators, "example-profile"])(
  "the %s has no wildcard, no escalation, and no secrets or pods",
  (operator) => {
    const granted = grantedTo(operator);
    expect(granted.filter((right) => Object.values(right).some((word) => word.includes("*")))).toEqual([]);
    expect(granted.filter(({ verb }) => ["escalate", "bind", "impersonate"].includes(verb))).toEqual([]);
    expect(granted.filter(({ resource }) => /^(secrets|pods)/.test(resource))).toEqual([]);
  },
);

test("only the role of example-profile grants rights on ConfigMaps", () => {
  const onConfigMaps = (folder: string) => grantedTo(folder).filter(({ resource }) => resource === "configmaps");
  expect(onConfigMaps("advisor")).toEqual([]);
  expect(new Set(grantedTo("example-profile"))).toEqual(new Set(onConfigMaps("example-profile")));
  expect(new Set(onConfigMaps("example-profile").map(({ name }) => name))).toEqual(new Set(["example-config"]));
});

// Event names are unpredictable, reviews have none, and a POST is authorized without one.
const unpinned = [
  "create events.events.k8s.io *",
  "create leases.coordination.k8s.io *",
  "create subjectaccessreviews.authorization.k8s.io *",
  "create tokenreviews.authentication.k8s.io *",
  "patch events.events.k8s.io *",
];

test.each([
  {
    operator: "advisor",
    // The advisor also writes the status of a config for an unknown profile.
    more: [
      "create virtplatformconfigs.advisor.kubevirt.io *",
      "update virtplatformconfigs/status.advisor.kubevirt.io *",
    ],
  },
  { operator: "platform", more: [] },
])("the $operator writes only objects whose names its role lists", ({ operator, more }) => {
  const writes = grantedTo(operator).filter(({ verb }) => !["get", "list", "watch"].includes(verb));
  const nameless = writes.filter(({ name }) => name === undefined).map(rightText);
  expect(nameless.toSorted()).toEqual([...unpinned, ...more].toSorted());
});
