// The next step if a webhook or policy modifies the operator's objects.

/** Separate commands: if the API server does not serve one kind, kubectl shows nothing for a combined command. */
export const findMutator =
  "find the webhook or policy with: kubectl get mutatingwebhookconfigurations (or kubectl get mutatingadmissionpolicies, if the API server supports them)";
