// The next step for users if a webhook or policy modifies the operator's objects.

/** Names two commands, because kubectl prints nothing if one of several kinds is not served. */
export const findMutator =
  "find the webhook or policy with: kubectl get mutatingwebhookconfigurations (or kubectl get mutatingadmissionpolicies, if the API server supports them)";
