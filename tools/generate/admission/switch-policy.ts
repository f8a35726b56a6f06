// Whoever turns a switch on the HyperConverged makes the operator write: so they must be allowed to write that themselves.

import { annotationPrefix } from "@virt/platform";
import { platform } from "../operators.ts";
import { celList, celText, type Policy, type Validation } from "./policy.ts";
import type { Reach } from "./switch-reach.ts";

/** These concern every asset. */
const general = ["autopilot", "prune", "disabled-resources"];

export function switchPolicy(reach: readonly Reach[]): Policy {
  const particular = [...new Set(reach.flatMap(({ keys }) => keys))].toSorted();
  return {
    promise: "Who turns a switch on the HyperConverged must be allowed to patch what the operator would write for it.",
    name: `${platform.name}-switches`,
    resourceRules: [
      {
        apiGroups: ["hco.kubevirt.io"],
        apiVersions: ["*"],
        resources: ["hyperconvergeds"],
        operations: ["CREATE", "UPDATE"],
      },
    ],
    variables: [
      { name: "before", expression: "oldObject == null ? {} : oldObject.metadata.?annotations.orValue({})" },
      { name: "after", expression: "object.metadata.?annotations.orValue({})" },
      { name: "particular", expression: annotations(particular) },
      { name: "switches", expression: `variables.particular + ${annotations(general)}` },
      { name: "changed", expression: changed },
      ...reach.map(({ kind, keys }) => ({ name: `for${kind}`, expression: concerning(keys) })),
    ],
    // One right for each: a check costs a third of what an expression may.
    validations: reach.map(validationFor),
  };
}

const annotations = (keys: readonly string[]) => celList(keys.map((key) => `${annotationPrefix}${key}`));

// A switch that this catalog does not know counts too: nobody can tell what it will do after an upgrade.
const isSwitch = `(key in variables.switches || key.startsWith('${annotationPrefix}enable-'))`;
const changed = [
  `variables.after.filter(key, ${isSwitch} && !(key in variables.before && variables.before[key] == variables.after[key]))`,
  `variables.before.filter(key, ${isSwitch} && !(key in variables.after))`,
].join(" +\n");

/** What has no assets of its own concerns all. */
function concerning(keys: readonly string[]): string {
  return `variables.changed.filter(key, !(key in variables.particular) || key in ${annotations(keys)})`;
}

function validationFor({ kind, group, resource, namespace }: Reach): Validation {
  const isBesideHco = namespace === "*";
  const place = isBesideHco ? "request.namespace" : celText(namespace ?? "");
  const where = namespace === undefined ? "" : `.namespace(${place})`;
  const inside = namespace === undefined || isBesideHco ? "" : ` in namespace ${namespace}`;
  const right = `patch ${group === "" ? resource : `${resource}.${group}`}${inside}`;
  return {
    expression: [
      `variables.for${kind}.size() == 0 ||`,
      `authorizer.group(${celText(group)}).resource(${celText(resource)})${where}.check('patch').allowed()`,
    ].join("\n"),
    messageExpression: [
      `request.userInfo.username + ' may not change ' + variables.for${kind}.join(', ') +`,
      celText(` on the HyperConverged: it has ${platform.name} write a ${kind}, which takes the right to ${right}`),
    ].join("\n"),
  };
}
