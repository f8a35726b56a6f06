import { accountName } from "./account.ts";

export const denyPlatformUpdates = ({
  group,
  resource,
}: {
  readonly group: string;
  readonly resource: string;
}): string => `\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: hands-off}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [${group}], apiVersions: ["*"], operations: [UPDATE], resources: [${resource}]}
  validations:
  - expression: request.userInfo.username != '${accountName("platform")}'
    message: hands off
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: hands-off}
spec: {policyName: hands-off, validationActions: [Deny]}
`;
