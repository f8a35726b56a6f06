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

test("rejects an unknown scenario and lists the known ones", () => {
  const { status, stderr } = demo("nonsense");
  expect(stderr).toContain('make: scenario "nonsense" not found.\n');
  expect(stderr).toMatch(/^ {2}stuck-drain +a VM/m);
  expect(stderr).not.toContain("API server");
  expect(status).toBe(1);
});

test("SCENARIO=help lists the scenarios", () => {
  const { status, stdout } = demo("help");
  expect(stdout).toMatch(/^ {2}stuck-drain +a VM/m);
  expect(status).toBe(0);
});

test("the simulator has the cluster of every scenario", () => {
  const { stdout } = spawnSync(process.execPath, [inRepository("dist", "virt-simulator.mjs"), "--help"], {
    encoding: "utf8",
  });
  for (const { cluster } of demoScenarios.values()) expect(stdout).toMatch(new RegExp(`^ +${cluster} `, "m"));
});
