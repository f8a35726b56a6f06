import { expect, test } from "vitest";
import { readScenario } from "./read-scenario.ts";
import { defaultDurations } from "./scenario.ts";
import { scenarios } from "./scenarios.ts";
import { readSeconds } from "./simulated-timers.ts";
import { standard } from "./standard-scenarios.ts";

const problems = (given: unknown) => {
  const read = readScenario(typeof given === "string" ? given : JSON.stringify(given));
  return read.kind === "wrong" ? read.problems : [];
};

test.each([...scenarios])("round-trips scenario %s through a file", (_name, scenario) => {
  expect(readScenario(JSON.stringify(scenario))).toEqual({ kind: "read", scenario });
});

test("fills missing fields from the default scenario, and null removes an operator", () => {
  const read = readScenario(JSON.stringify({ vms: [], durations: { reboot: 1 }, hco: null }));
  const { hco: _hco, ...usual } = standard;
  expect(read).toEqual({
    kind: "read",
    scenario: { ...usual, about: "from a file", vms: [], durations: { ...defaultDurations, reboot: 1 } },
  });
});

test.each([
  ["{", "it is not JSON"],
  [[], "scenario: must be a map"],
  [{ node: [] }, "node: unknown; must be one of about, topology"],
  [
    { nodes: [{ name: "a", count: 0, roles: [], cpus: 1, memoryGiB: 1 }] },
    "nodes[0].count: must be a whole number from 1 to 10000, not 0",
  ],
  [{ nodes: [{ name: "a" }] }, "nodes[0].count: is missing"],
  [
    { pools: [{ name: "worker", maxUnavailable: 1.5 }] },
    'pools[0].maxUnavailable: must be a whole number, or a share such as "10%", not 1.5',
  ],
  [{ durations: { reboot: -1 } }, "durations.reboot: must be a number from 0, not -1"],
  [
    { faults: [{ afterSeconds: 1, kind: "Secret", name: "a", annotation: "degrade", value: "" }] },
    "faults[0].kind: must be one of Node, ",
  ],
  [{ objects: [{ kind: "ConfigMap" }] }, "objects[0].apiVersion: must be a string"],
])("rejects %j with the path of the error", (given, problem) => {
  expect(problems(given).join("\n")).toContain(problem);
});

test.each([
  ["90", 90],
  ["90s", 90],
  ["5m", 300],
  ["1h30m", 5400],
  ["0.5s", 0.5],
  ["", undefined],
  ["soon", undefined],
  ["1d", undefined],
])("reads %j as %j seconds", (text, seconds) => {
  expect(readSeconds(text)).toBe(seconds);
});
