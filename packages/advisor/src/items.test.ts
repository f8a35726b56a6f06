import type { Item } from "@virt/api";
import { roleLabel } from "@virt/cluster";
import { expect, test } from "vitest";
import { rolesIn } from "./items.ts";
import { psi } from "./testing/observed-fixtures.ts";

test("a stored plan keeps the roles of its MachineConfigs", () => {
  const item = (role: string): Item => {
    const { desiredState, ...rest } = psi();
    if (desiredState === undefined) throw new Error("it has no desired state");
    return { ...rest, desiredState: { ...desiredState, metadata: { name: "x", labels: { [roleLabel]: role } } } };
  };
  expect(rolesIn([item("master")])).toEqual(["master"]);
  expect(rolesIn([item("master"), item("worker")])).toEqual(["worker", "master"]);
  expect(rolesIn([])).toEqual(["worker"]);
});
