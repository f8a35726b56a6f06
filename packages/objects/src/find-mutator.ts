// The next step if a webhook or policy modifies the operator's objects.

/** Separate commands, because kubectl shows nothing if one of several kinds is not served. */
export const findMutator =
  "find the webhook or policy with: kubectl get mutatingwebhookconfigurations (or kubectl get mutatingadmissionpolicies, if the API server supports them)";
