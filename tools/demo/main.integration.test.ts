import { spawnSync } from "node:child_process";
import { inRepository } from "@virt/testkit";
import { expect, test } from "vitest";
import { demoScenarios } from "./scenarios.ts";

const demo = (SCENARIO: string) =>
  spawnSync(process.execPath, ["tools/demo/main.ts"], {
    cwd: inRepository(),
    env: { ...process.env, CHECK: "1", SCENARIO },
    encoding: "utf8",
    timeout: 50_000,
  });

test("a demo of a scenario that is not there starts nothing, and lists those that are", () => {
  const { status, stderr } = demo("nonsense");
  expect(stderr).toContain('make: scenario "nonsense" not found.\n');
  expect(stderr).toMatch(/^ {2}stuck-drain +a VM/m);
  expect(stderr).not.toContain("API server");
  expect(status).toBe(1);
});

test("SCENARIO=help lists them, and that is no fault", () => {
  const { status, stdout } = demo("help");
  expect(stdout).toMatch(/^ {2}stuck-drain +a VM/m);
  expect(status).toBe(0);
});

test("every scenario plays on a cluster that the simulator has", () => {
  const { stdout } = spawnSync(process.execPath, [inRepository("dist", "virt-simulator.mjs"), "--help"], {
    encoding: "utf8",
  });
  for (const { cluster } of demoScenarios.values()) expect(stdout).toMatch(new RegExp(`^ +${cluster} `, "m"));
});
