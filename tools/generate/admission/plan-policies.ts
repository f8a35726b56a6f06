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
    promise: `Editors request plans and approvers apply them. Changing spec.approvedPlan, setting action Apply, and editing a spec with action Apply\n# require the verb approve on the ${kind}.`,
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
          `request.userInfo.username + ' may not apply ${kind} ' + object.metadata.name +`,
          `': setting action Apply, or editing a spec with action Apply, ${right}. ' +`,
          "'Next: set spec.action to DryRun to see the plan, and ask a user with that permission to apply it'",
        ].join("\n"),
      },
    ],
  };
}

/** Exempts system:masters (the emergency certificate), which no role binds. */
export function statusPolicy(): Policy {
  return {
    promise: `Only ${advisor.name} may write the status of a ${kind}, regardless of RBAC, because users approve the plan that the status shows.`,
    name: `${advisor.name}-status`,
    resourceRules: onConfigs(`${plural}/status`, ["UPDATE"]),
    variables: [],
    validations: [
      {
        expression: `request.userInfo.username == ${celText(advisor.account)} ||\n'system:masters' in request.userInfo.groups`,
        messageExpression: [
          `request.userInfo.username + ' may not write the status of ${kind} ' + request.name +`,
          `': only ${advisor.name} (${advisor.account}) may'`,
        ].join("\n"),
      },
    ],
  };
}
