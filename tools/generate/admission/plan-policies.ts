// Controls plan decisions: only approvers apply plans, and only the advisor reports their results.

import { configKind } from "@virt/api";
import { advisor } from "../operators.ts";
import { celText, type Policy, type ResourceRule } from "./policy.ts";

const { group, kind, plural } = configKind;
const right = `requires permission to approve ${plural}.${group} (ClusterRole virtplatformconfig-approver-role)`;

const onConfigs = (resource: string, operations: readonly string[]): readonly ResourceRule[] => [
  { apiGroups: [group], apiVersions: ["*"], resources: [resource], operations },
];

/** Checks a custom verb, which only our approver and admin roles grant to users. */
export function approvalPolicy(): Policy {
  return {
    promise: `Editors plan, approvers apply: action Apply, every edit of a spec with it, and spec.approvedPlan take the verb approve on that ${kind}.`,
    name: `${advisor.name}-approvals`,
    resourceRules: onConfigs(plural, ["CREATE", "UPDATE"]),
    variables: [
      { name: "before", expression: "oldObject == null ? '' : oldObject.spec.?approvedPlan.orValue('')" },
      { name: "after", expression: "object.spec.?approvedPlan.orValue('')" },
      {
        // Anyone who can edit the config may withdraw the action, because that stops the plan.
        name: "isApplied",
        expression:
          "object.spec.?action.orValue('') == 'Apply' &&\n(oldObject == null || oldObject.spec != object.spec)",
      },
      {
        name: "mayApprove",
        expression: `authorizer.group(${celText(group)}).resource(${celText(plural)}).name(object.metadata.name).check('approve').allowed()`,
      },
    ],
    validations: [
      {
        expression: "variables.before == variables.after || variables.mayApprove",
        messageExpression: `request.userInfo.username + ' may not change spec.approvedPlan of ' + object.metadata.name + ': that ${right}'`,
      },
      {
        expression: "!variables.isApplied || variables.mayApprove",
        messageExpression: [
          `request.userInfo.username + ' may not have ${kind} ' + object.metadata.name +`,
          `' applied: action Apply, and every edit of a spec with it, ${right}. ' +`,
          "'Next: set spec.action to DryRun to see the plan, and have a user with that permission apply it'",
        ].join("\n"),
      },
    ],
  };
}

/** Exempts system:masters (the emergency certificate), which no role binds. */
export function statusPolicy(): Policy {
  return {
    promise: `Whatever their roles say, nobody but ${advisor.name} writes the status of a ${kind}: people approve what it shows.`,
    name: `${advisor.name}-status`,
    resourceRules: onConfigs(`${plural}/status`, ["UPDATE"]),
    variables: [],
    validations: [
      {
        expression: `request.userInfo.username == ${celText(advisor.account)} ||\n'system:masters' in request.userInfo.groups`,
        messageExpression: [
          `request.userInfo.username + ' may not write the status of ${kind} ' + request.name +`,
          `': only ${advisor.name} (${advisor.account}) does'`,
        ].join("\n"),
      },
    ],
  };
}
