import { expect, test } from "vitest";
import { conditionMessage } from "./condition-message.ts";

const messageOf = (message: string) =>
  conditionMessage({
    status: {
      phase: "PrerequisiteFailed",
      conditions: [
        {
          type: "PrerequisiteFailed",
          status: "True",
          reason: "R",
          message,
          lastTransitionTime: "2026-01-01T00:00:00Z",
        },
      ],
    },
  });

test("prints missing dependencies on one line", () => {
  expect(
    messageOf("Missing required dependencies:\n  - KubeDescheduler (v1): install it\n  - Node (v1): add one\n"),
  ).toBe("Missing required dependencies: KubeDescheduler (v1): install it; Node (v1): add one");
  expect(messageOf("All items applied")).toBe("All items applied");
});
