import { writeTime } from "@virt/engine";
import { expect, test } from "vitest";
import { poolObject } from "../testing/cluster-builder.ts";
import { changeOfPool, diagnoseOnce } from "./diagnose-once.ts";
import { vmOn, withVm } from "./testing/finding-parts.ts";
import { reportOf, rolloutFacts } from "./testing/rollout-builder.ts";

const start = rolloutFacts({}, 0).now;

function diagnoseDrainOf(minutes: number) {
  const blocked = withVm(vmOn({ isMigratable: false }));
  const lastTransitionTime = writeTime(start);
  const cordoned = { type: "Cordoned", status: "True", message: "", lastTransitionTime };
  const report = { ...reportOf("worker-0", ""), status: { conditions: [cordoned] } };
  return diagnoseOnce(rolloutFacts({ ...blocked, reports: [report] }, minutes * 60));
}

test("what holds a drain counts from the time at which the node was cordoned, though nobody watched", () => {
  const { rollout, young } = diagnoseDrainOf(10);
  expect(rollout.findings.map(({ id, severity, since }) => ({ id, severity, since }))).toEqual([
    { id: "VMNotMigratable", severity: "blocking", since: writeTime(start) },
  ]);
  expect(young).toEqual([]);
});

test("what may pass is told apart from what lasts", () => {
  const { rollout, young } = diagnoseDrainOf(1);
  expect(rollout.findings).toEqual([]);
  expect(young.map(({ id }) => id)).toEqual(["VMNotMigratable"]);
});

test("a pool that nobody of us changed is one that rolls out what it was rendered from", () => {
  const pool = poolObject("worker", {});
  const rendered = { ...pool, spec: { configuration: { name: "rendered-2", source: [{ name: "00-worker" }] } } };
  expect(changeOfPool(rendered)).toMatchObject({ machineConfig: "00-worker", operation: "Apply", pools: ["worker"] });
  expect(changeOfPool({ ...pool, spec: {} })).toMatchObject({ operation: "Delete", pools: ["worker"] });
});
