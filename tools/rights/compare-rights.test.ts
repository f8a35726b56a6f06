import { expect, test } from "vitest";
import { compareRights } from "./compare-rights.ts";
import { grantedRights } from "./granted-rights.ts";
import { usedRights } from "./used-rights.ts";

const account = "system:serviceaccount:ours:operator";
const role = `
rules:
- {apiGroups: [apps], resources: [deployments], verbs: [get]}
- {apiGroups: [""], resources: [configmaps], resourceNames: [mine], verbs: [create, patch]}
`;
const granted = grantedRights(account, role);

const event = (verb: string, name: string, code = 200) => ({
  stage: "ResponseComplete",
  verb,
  requestURI: "",
  requestReceivedTimestamp: "",
  userAgent: "virt-operator/1",
  user: { username: account },
  objectRef: { resource: "configmaps", name },
  responseStatus: { code },
});
const deployment = { ...event("get", "any"), objectRef: { apiGroup: "apps", resource: "deployments", name: "any" } };

const cases: readonly (readonly [
  reason: string,
  events: Parameters<typeof usedRights>[0],
  unused: readonly string[],
])[] = [
  ["after no requests", [], ["get deployments.apps *", "create configmaps mine", "patch configmaps mine"]],
  ["after an apply that created the object", [event("patch", "mine", 201), deployment], []],
  ["after an apply that changed the object", [event("patch", "mine"), deployment], ["create configmaps mine"]],
  [
    "after requests to another object",
    [event("patch", "theirs", 201), deployment],
    ["create configmaps mine", "patch configmaps mine"],
  ],
  [
    "after a rejected request",
    [event("patch", "mine", 403), deployment],
    ["create configmaps mine", "patch configmaps mine"],
  ],
  [
    "after a request of a test with the operator's token",
    [{ ...event("patch", "mine", 201), userAgent: "node" }, deployment],
    ["create configmaps mine", "patch configmaps mine"],
  ],
];

test.each(cases)("reports unused rights %s", (_reason, events, unused) => {
  expect(compareRights(granted, usedRights(events, [account]), [])).toEqual({ unused, needless: [] });
});

test("an exception excuses its right, and is reported if the right is gone", () => {
  const used = usedRights([event("patch", "mine"), deployment], [account]);
  const exceptions = ["create configmaps mine", "create configmaps theirs"].map((right) => ({
    right,
    reason: "a race",
  }));
  expect(compareRights(granted, used, exceptions)).toEqual({ unused: [], needless: ["create configmaps theirs"] });
});
