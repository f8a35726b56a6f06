// The next step for anyone whose objects are modified on admission.

/** Two commands: if the API server does not serve one of the kinds, kubectl shows neither of them. */
export const findMutator =
  "find the webhook or policy with: kubectl get mutatingwebhookconfigurations (or kubectl get mutatingadmissionpolicies, if the API server supports them)";
