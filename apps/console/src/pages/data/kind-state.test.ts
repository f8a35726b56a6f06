import type { KubeObject } from "@virt/api";
import { expect, test } from "vitest";
import { applyLines, areCurrent, dropUnwatchedProblems, unknownKind } from "./kind-state.ts";

const node = (name: string, value = "a"): KubeObject => ({ apiVersion: "v1", kind: "Node", metadata: { name }, value });

test("a list replaces objects, changes update them, and other kinds stay", () => {
  const listed = applyLines({}, [
    { of: "nodes", type: "list", objects: [node("a"), node("b")] },
    { of: "pools", type: "list", objects: [] },
  ]);
  const changed = applyLines(listed, [
    { of: "nodes", type: "changed", object: node("a", "new") },
    { of: "nodes", type: "removed", object: node("b") },
  ]);
  expect([...(changed.nodes?.objects.values() ?? [])]).toEqual([node("a", "new")]);
  expect([...(listed.nodes?.objects.keys() ?? [])]).toEqual(["/a", "/b"]);
  expect(changed.pools).toBe(listed.pools);
});

test("keeps listed objects while the API server is unavailable", () => {
  const listed = applyLines({}, [{ of: "nodes", type: "list", objects: [node("a")] }]);
  const lost = applyLines(listed, [{ of: "nodes", type: "unavailable", message: "reset" }]);
  expect(lost.nodes).toMatchObject({ state: "listed", problem: "reset" });
  expect(lost.nodes?.objects.size).toBe(1);
  const back = applyLines(lost, [{ of: "nodes", type: "changed", object: node("b") }]);
  expect(back.nodes?.problem).toBeUndefined();
});

test("a forbidden kind has no objects and names the resource", () => {
  const states = applyLines({}, [
    { of: "nodes", type: "list", objects: [node("a")] },
    { of: "nodes", type: "forbidden", resource: "nodes" },
    { type: "alive" },
  ]);
  expect(states.nodes).toEqual({ ...unknownKind, state: "forbidden", resource: "nodes" });
});

test("drops the problem of an unwatched kind and keeps other kinds", () => {
  const states = applyLines({}, [
    { of: "nodes", type: "list", objects: [node("a")] },
    { of: "nodes", type: "unavailable", message: "reset" },
    { of: "pools", type: "list", objects: [] },
  ]);
  expect(areCurrent(states)).toBe(false);
  expect(areCurrent(dropUnwatchedProblems(states, ["nodes", "pools"]))).toBe(false);
  const left = dropUnwatchedProblems(states, ["configs"]);
  expect(areCurrent(left)).toBe(true);
  expect(left.pools).toBe(states.pools);
});
