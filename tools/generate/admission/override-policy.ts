// Whoever tells the operator how to treat an object, by an annotation on it, must be allowed to patch that object.

import { type Asset, objectAnnotations } from "@virt/platform";
import { platform } from "../operators.ts";
import { resourceOf } from "../rbac/asset-rights.ts";
import { celList, type Policy } from "./policy.ts";

const { state: _memory, ...overrides } = objectAnnotations;

export function overridePolicy(assets: readonly Asset[]): Policy {
  return {
    promise:
      "Who overrides the operator on one of its objects must be allowed to patch it: to create or update it is not enough.",
    name: `${platform.name}-overrides`,
    resourceRules: rulesFor(assets),
    variables: [
      { name: "before", expression: "oldObject == null ? {} : oldObject.metadata.?annotations.orValue({})" },
      { name: "after", expression: "object.metadata.?annotations.orValue({})" },
      {
        name: "set",
        expression: `${celList(Object.values(overrides))}.filter(key,\nkey in variables.after && !(key in variables.before && variables.before[key] == variables.after[key]))`,
      },
    ],
    validations: [
      {
        expression: "variables.set.size() == 0 ||\nauthorizer.requestResource.check('patch').allowed()",
        messageExpression:
          "request.userInfo.username + ' may not set ' + variables.set.join(', ') + ' on ' + request.name + ': that takes the right to patch ' + request.resource.resource + '.' + request.resource.group",
      },
    ],
  };
}

function rulesFor(assets: readonly Asset[]) {
  const targets = assets.map(({ target }) => resourceOf(target));
  const kinds = Map.groupBy(targets, ({ group, resource }) => `${resource}.${group}`);
  return [...kinds.values()].map((all) => ({
    apiGroups: [...new Set(all.map(({ group }) => group))],
    apiVersions: ["*"],
    resources: [...new Set(all.map(({ resource }) => resource))],
    resourceNames: [...new Set(all.flatMap(({ name = [] }) => name))],
    operations: ["CREATE", "UPDATE"],
  }));
}
