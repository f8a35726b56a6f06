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

test("a record names user, plan, time and client, and says that the name is not verified", () => {
  const text = writeDecision(approval);
  expect(JSON.parse(text)).toEqual({ ...approval, verified: false });
  expect(readDecision(annotated(text))).toEqual(approval);
});

test.each(["", "nonsense", "[]", "null", '{"decision":"maybe","plan":"x"}', '{"decision":"approved"}'])(
  "an annotation that is no record counts as none: %s",
  (text) => {
    expect(readDecision(annotated(text))).toBeUndefined();
  },
);

test("control characters in a record reach nobody", () => {
  const { user } = readDecision(annotated(writeDecision({ ...approval, user: "ja\u001B[2Jne\n" }))) ?? {};
  expect(user).not.toMatch(/\p{Cc}/u);
});

test("names the approver only for the recorded plan and the tool that edited the spec", () => {
  const config = annotated(writeDecision(approval));
  expect(recordedApprover(config, plan, "virt-console")).toBe("jane");
  expect(recordedApprover(config, "b".repeat(64), "virt-console")).toBeUndefined();
  expect(recordedApprover(config, plan, "kubectl-patch")).toBeUndefined();
  expect(recordedApprover(annotated(writeDecision({ ...approval, decision: "rejected" })), plan, "virt-console")).toBe(
    undefined,
  );
  expect(recordedApprover(annotated(writeDecision({ ...approval, user: "" })), plan, "virt-console")).toBeUndefined();
});
