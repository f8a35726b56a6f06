// Requires permission to patch an object from every client that sets an override annotation on it.

import { fieldManagers } from "@virt/api";
import { type Asset, objectAnnotations } from "@virt/platform";
import { platform } from "../operators.ts";
import { resourceOf } from "../rbac/asset-rights.ts";
import { celList, celText, type Policy } from "./policy.ts";

const { state, ...overrides } = objectAnnotations;

export function overridePolicy(assets: readonly Asset[]): Policy {
  return {
    promise:
      "Setting an override on an object of the operator requires permission to patch the object. Permission to create or update it is not\n# enough. Only the operator may write its own record on an object.",
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
        expression: `variables.set.size() == 0 ||\n${mayPatch}`,
        messageExpression: [
          "request.userInfo.username + ' may not set ' + variables.set.join(', ') + ' on ' + object.metadata.name +",
          "': that requires permission to patch ' + request.resource.resource +",
          "(request.resource.group == '' ? '' : '.' + request.resource.group)",
        ].join("\n"),
      },
      {
        // Every client may remove or empty the record, because without it the operator deletes nothing.
        expression: [
          `request.userInfo.username == ${celText(platform.account)} || variables.after[?${celText(state)}].orValue('') == '' ||`,
          // Allows `make run` by a cluster administrator. No role binds system:masters, so our policies do not either.
          `('system:masters' in request.userInfo.groups && request.options.?fieldManager.orValue('') == ${celText(fieldManagers.platform)}) ||`,
          `variables.before[?${celText(state)}] == variables.after[?${celText(state)}]`,
        ].join("\n"),
        messageExpression: `request.userInfo.username + ${celText(` may not change ${state} on `)} + object.metadata.name + ${celText(`: only ${platform.name} may`)}`,
      },
    ],
  };
}

// Checks the object itself, even if the request is for its status.
const mayPatch = [
  "authorizer.group(request.resource.group).resource(request.resource.resource)",
  ".namespace(request.?namespace.orValue('')).name(object.metadata.name).check('patch').allowed()",
].join("\n");

/** A status update of a built-in kind also writes annotations. One of a custom resource does not. */
function resourcesOf({ target }: Asset): readonly string[] {
  const { resource } = resourceOf(target);
  return target.crd === undefined ? [resource, `${resource}/status`] : [resource];
}

function rulesFor(assets: readonly Asset[]) {
  const targets = assets.map((asset) => ({ ...resourceOf(asset.target), resources: resourcesOf(asset) }));
  const kinds = Map.groupBy(targets, ({ group, resource }) => `${resource}.${group}`);
  return [...kinds.values()].map((all) => ({
    apiGroups: [...new Set(all.map(({ group }) => group))],
    apiVersions: ["*"],
    resources: [...new Set(all.flatMap(({ resources }) => resources))],
    resourceNames: [...new Set(all.flatMap(({ name = [] }) => name))],
    operations: ["CREATE", "UPDATE"],
  }));
}
