import type { AuditEvent } from "@virt/testkit";
import { expect, test } from "vitest";
import { policyDenials } from "./policy-denials.ts";

const denied = (message: string, code = 403): AuditEvent => ({
  stage: "ResponseComplete",
  verb: "patch",
  requestURI: "/x",
  requestReceivedTimestamp: "2026-01-01T00:00:00.000000Z",
  user: { username: "u" },
  responseStatus: { code, message },
});
const ours =
  "x is forbidden: ValidatingAdmissionPolicy 'virt-advisor-operator-writes' with binding 'b' denied request: no";

test.each([
  { reason: "lists a denial by our policies once", events: [denied(ours), denied(ours)], lines: 1 },
  { reason: "lists a denial with another status code", events: [denied(ours, 422)], lines: 1 },
  { reason: "does not list a missing right", events: [denied('nodes is forbidden: User "u" cannot list')], lines: 0 },
  {
    reason: "does not list a denial by another client's policy",
    events: [denied("ValidatingAdmissionPolicy 'hands-off' with binding 'b' denied request: no")],
    lines: 0,
  },
])("$reason", ({ events, lines }) => {
  expect(policyDenials(events)).toHaveLength(lines);
});
