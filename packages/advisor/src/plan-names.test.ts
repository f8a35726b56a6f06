import { expect, test } from "vitest";
import { findNamedPlan, isPlanNamed, shortHash } from "./plan-names.ts";

const plan = "0123456789ab".padEnd(64, "0");
const other = "0123456789ab".padEnd(64, "f");

test("accepts the whole hash or at least 12 digits of it", () => {
  for (const digits of [12, 13, 63, 64])
    expect(findNamedPlan(plan.slice(0, digits), [plan])).toEqual({ kind: "found", planHash: plan });
  expect(findNamedPlan(shortHash(plan), [plan, plan, undefined])).toEqual({ kind: "found", planHash: plan });
});

test.each(["", "0123456789a", `${plan}0`, "0123456789AB", "0123456789a*", ` ${plan}`])(
  "rejects '%s', which is not 12 to 64 hexadecimal digits",
  (named) => {
    expect(findNamedPlan(named, [plan])).toEqual({ kind: "malformed" });
    expect(isPlanNamed(named, plan)).toBe(false);
  },
);

test("rejects digits that two plans share", () => {
  expect(findNamedPlan(shortHash(plan), [plan, other])).toEqual({ kind: "ambiguous" });
  expect(isPlanNamed(shortHash(plan), plan, [other])).toBe(false);
  expect(isPlanNamed(plan, plan, [other])).toBe(true);
});

test("rejects digits of no known plan", () => {
  expect(findNamedPlan("f".repeat(12), [plan])).toEqual({ kind: "unknown" });
  expect(isPlanNamed(undefined, plan)).toBe(false);
});
