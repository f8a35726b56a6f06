import { expect, test } from "vitest";
import { generation, now, observedWith } from "../testing/observed-fixtures.ts";
import { transition } from "../transition.ts";
import { isSilent, pendingStatus } from "./pending.ts";
import { conditionOf } from "./status-conditions.ts";

const status = pendingStatus("nodes is forbidden", { now, generation });

test("a config that cannot be processed reports the cause", () => {
  const { spec } = observedWith("Pending");
  expect(isSilent({ spec: { ...spec, action: "DryRun" } })).toBe(true);
  expect(isSilent({ spec: { ...spec, action: "DryRun" }, status })).toBe(false);
  expect(isSilent({ spec: { ...spec, action: "Ignore" } })).toBe(false);
  const cause = { message: "nodes is forbidden" };
  expect(conditionOf(status, "Pending")).toMatchObject({ status: "True", ...cause });
  expect(conditionOf(status, "Reconciling")).toMatchObject({ status: "True", reason: "Retrying", ...cause });
  expect(conditionOf(status, "Ready")).toMatchObject({ status: "False", ...cause });
});

test("a Pending config is drafted once it can be processed", () => {
  const decided = transition({ ...observedWith("Pending"), stored: status });
  expect(decided.status.phase).toBe("Drafting");
  expect(conditionOf(decided.status, "Reconciling")?.reason).not.toBe("Retrying");
});
