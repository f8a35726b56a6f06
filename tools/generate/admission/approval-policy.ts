// Keeps spec.approvedPlan for those who may approve: a verb of its own, which no other role of ours includes.

import { configKind } from "@virt/api";
import { advisor } from "../operators.ts";
import type { Policy } from "./policy.ts";

const { group, plural } = configKind;

export function approvalPolicy(): Policy {
  return {
    promise: "Who sets, changes or clears spec.approvedPlan must hold the verb approve on that VirtPlatformConfig.",
    name: `${advisor.name}-approvals`,
    resourceRules: [{ apiGroups: [group], apiVersions: ["*"], resources: [plural], operations: ["CREATE", "UPDATE"] }],
    variables: [
      { name: "before", expression: "oldObject == null ? '' : oldObject.spec.?approvedPlan.orValue('')" },
      { name: "after", expression: "object.spec.?approvedPlan.orValue('')" },
    ],
    validations: [
      {
        expression: "variables.before == variables.after ||\nauthorizer.requestResource.check('approve').allowed()",
        messageExpression: `request.userInfo.username + ' may not change spec.approvedPlan of ' + request.name + ': that takes the right to approve ${plural}.${group} (ClusterRole virtplatformconfig-approver-role)'`,
      },
    ],
  };
}
