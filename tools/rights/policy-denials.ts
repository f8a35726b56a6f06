import type { AuditEvent } from "@virt/testkit";

const denial = "ValidatingAdmissionPolicy 'virt-";

/** Returns one line for each denied request, with the message of the policy. */
export function policyDenials(events: readonly AuditEvent[]): readonly string[] {
  const lines = events.flatMap(({ verb, requestURI, responseStatus: { message = "" } = {} }) =>
    message.includes(denial) ? [`${verb} ${requestURI}: ${message}`] : [],
  );
  return [...new Set(lines)];
}
