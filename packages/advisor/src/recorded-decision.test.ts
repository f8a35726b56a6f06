import { decisionAnnotation } from "@virt/api";
import { expect, test } from "vitest";
import { readDecision, recordedApprover, writeDecision } from "./recorded-decision.ts";

const plan = "a".repeat(64);
const approval = {
  decision: "approved",
  plan,
  user: "jane",
  time: "2026-01-01T00:00:00Z",
  client: "virt-console",
} as const;
const annotated = (text: string) => ({ metadata: { name: "x", annotations: { [decisionAnnotation]: text } } });

test("a record contains user, plan, time and client, and is unverified", () => {
  const text = writeDecision(approval);
  expect(JSON.parse(text)).toEqual({ ...approval, verified: false });
  expect(readDecision(annotated(text))).toEqual(approval);
});

test.each(["", "nonsense", "[]", "null", '{"decision":"maybe","plan":"x"}', '{"decision":"approved"}'])(
  "ignores an invalid record: %s",
  (text) => {
    expect(readDecision(annotated(text))).toBeUndefined();
  },
);

test("removes control characters from a record", () => {
  const { user } = readDecision(annotated(writeDecision({ ...approval, user: "ja\u001B[2Jne\n" }))) ?? {};
  expect(user).not.toMatch(/\p{Cc}/u);
});

test("names the approver only for the recorded plan and client", () => {
  const config = annotated(writeDecision(approval));
  expect(recordedApprover(config, plan, "virt-console")).toBe("jane");
  expect(recordedApprover(config, "b".repeat(64), "virt-console")).toBeUndefined();
  expect(recordedApprover(config, plan, "kubectl-patch")).toBeUndefined();
  expect(recordedApprover(annotated(writeDecision({ ...approval, decision: "rejected" })), plan, "virt-console")).toBe(
    undefined,
  );
  expect(recordedApprover(annotated(writeDecision({ ...approval, user: "" })), plan, "virt-console")).toBeUndefined();
});
