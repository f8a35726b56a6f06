import { expect, test } from "vitest";
import { conditionMessage } from "./condition-message.ts";

function messageOf(message: string) {
  const condition = {
    type: "PrerequisiteFailed",
    status: "True",
    reason: "R",
    message,
    lastTransitionTime: "",
  } as const;
  return conditionMessage({ status: { phase: "PrerequisiteFailed", conditions: [condition] } });
}

test("prints missing dependencies on one line", () => {
  expect(
    messageOf("Missing required dependencies:\n  - KubeDescheduler (v1): install it\n  - Node (v1): add one\n"),
  ).toBe("Missing required dependencies: KubeDescheduler (v1): install it; Node (v1): add one");
  expect(messageOf("All items applied")).toBe("All items applied");
});
