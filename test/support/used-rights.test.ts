import type { AuditEvent } from "@virt/testkit";
import { expect, test } from "vitest";
import { accountName } from "./account.ts";
import { deniedWrites } from "./used-rights.ts";

const denied: AuditEvent = {
  stage: "ResponseComplete",
  verb: "patch",
  requestURI: "/x",
  requestReceivedTimestamp: "2026-01-01T00:00:00.000000Z",
  userAgent: "virt-operator/1",
  user: { username: accountName("platform") },
  responseStatus: {
    code: 403,
    message: "ValidatingAdmissionPolicy 'virt-platform-operator-writes' denied request: no",
  },
};

test("reports a policy denial of an operator's write, but not of a test's write", () => {
  expect(deniedWrites([denied])).toHaveLength(1);
  expect(
    deniedWrites([
      { ...denied, userAgent: "kubectl/1" },
      { ...denied, user: { username: "admin" } },
    ]),
  ).toEqual([]);
});
