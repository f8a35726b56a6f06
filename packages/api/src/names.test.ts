import { expect, test } from "vitest";
import { isAdvisorManager, profileManager } from "./names.ts";

test("the profiles of earlier releases keep the field manager of their objects", () => {
  const earlier = ["example-profile", "load-aware-rebalancing", "virt-higher-density"];
  for (const profile of earlier) expect(profileManager(profile)).toBe("virt-advisor-operator");
});

test("every other profile has a field manager of its own", () => {
  expect(profileManager("live-migration")).toBe("virt-advisor-operator-live-migration");
});

test("the field managers of all profiles belong to the advisor", () => {
  for (const profile of ["virt-higher-density", "live-migration"])
    expect(isAdvisorManager(profileManager(profile))).toBe(true);
  for (const manager of ["virt-platform-operator", "virt-advisor-operators", "kubectl"])
    expect(isAdvisorManager(manager)).toBe(false);
});
