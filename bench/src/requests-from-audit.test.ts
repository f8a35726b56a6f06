import type { AuditEvent } from "@virt/testkit";
import { expect, test } from "vitest";
import { countByVerb, isUpkeep, requestsIn } from "./requests-from-audit.ts";

const event = (second: number, verb: string, more: Partial<AuditEvent> = {}): AuditEvent => ({
  stage: "ResponseComplete",
  verb,
  requestURI: "/api/v1/pods",
  requestReceivedTimestamp: `2026-01-01T00:00:${`${second}`.padStart(2, "0")}.000000Z`,
  user: { username: "ours" },
  ...more,
});
const window = { account: "ours", from: new Date("2026-01-01T00:00:10Z"), until: new Date("2026-01-01T00:00:20Z") };

test("counts the account's requests in the window, and a stream when it starts", () => {
  const log = [
    event(9, "get"),
    event(10, "get"),
    event(12, "get", { user: { username: "somebody" } }),
    event(13, "watch", { stage: "ResponseStarted" }), // still running
    event(14, "watch", { stage: "ResponseStarted" }),
    event(14, "watch"),
    event(15, "watch", { responseStatus: { code: 410 } }), // never started
    event(20, "patch"),
    event(21, "patch"),
  ];
  expect(countByVerb(requestsIn(log, window))).toEqual({ get: 1, watch: 3, patch: 1 });
});

test("Lease updates and streams are upkeep", () => {
  const renewal = event(1, "update", { requestURI: "/apis/coordination.k8s.io/v1/namespaces/a/leases/b" });
  expect([renewal, event(1, "watch"), event(1, "get")].map(isUpkeep)).toEqual([true, true, false]);
});
