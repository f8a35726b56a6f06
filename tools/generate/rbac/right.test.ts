import { runsForCost } from "@virt/testkit/law-runs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Right, type RoleRule, rights, rulesOf } from "./right.ts";

const anyRights: fc.Arbitrary<readonly Right[]> = fc.array(
  fc.record(
    {
      group: fc.constantFrom("", "apps"),
      resource: fc.constantFrom("pods", "nodes"),
      verb: fc.constantFrom("get", "list", "create", "delete"),
      name: fc.constantFrom("one", "two", "three"),
      isPosted: fc.boolean(),
    },
    { requiredKeys: ["group", "resource", "verb"] },
  ),
  { size: "max", maxLength: 12 },
);

// Evaluates rules like the authorizer: a rule without names applies to all objects.
const allows =
  (rules: readonly RoleRule[]) =>
  ({ group, resource, verb, name }: Right): boolean =>
    rules.some(
      (rule) =>
        rule.apiGroups.includes(group) &&
        rule.resources.includes(resource) &&
        rule.verbs.includes(verb) &&
        (rule.resourceNames === undefined || (name !== undefined && rule.resourceNames.includes(name))),
    );

const everything = ["", "apps"].flatMap((group) =>
  ["pods", "nodes"].flatMap((resource) =>
    [undefined, "one", "two", "three", "four"].flatMap((name) =>
      rights({ group, resource, ...(name && { name }) }, "get", "list", "watch", "create", "delete"),
    ),
  ),
);

test("rules grant exactly the declared rights", () => {
  const isAsked = (granted: readonly Right[], right: Right) =>
    granted.some(
      ({ group, resource, verb, name, isPosted = false }) =>
        group === right.group &&
        resource === right.resource &&
        verb === right.verb &&
        (name === undefined || name === right.name || (isPosted && verb === "create")),
    );
  const law = fc.property(anyRights, (granted) => {
    const may = allows(rulesOf(granted));
    return everything.every((right) => may(right) === isAsked(granted, right));
  });
  fc.assert(law, runsForCost(4));
});

test("rules do not depend on the order of rights, and none is empty", () => {
  const law = fc.property(anyRights, (granted) => {
    const rules = rulesOf(granted);
    expect(rulesOf(granted.toReversed())).toEqual(rules);
    expect(rules.filter(({ verbs, resourceNames }) => verbs.length === 0 || resourceNames?.length === 0)).toEqual([]);
  });
  fc.assert(law, runsForCost(4));
});
