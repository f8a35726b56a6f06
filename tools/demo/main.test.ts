import { spawnSync } from "node:child_process";
import { inRepository } from "@virt/testkit";
import { expect, test } from "vitest";

test("a demo that cannot begin says why, and ends", () => {
  const { status, stderr } = spawnSync(process.execPath, ["tools/demo/main.ts"], {
    cwd: inRepository(),
    env: { ...process.env, CHECK: "1", SCENARIO: "nonsense" },
    encoding: "utf8",
    timeout: 50_000,
  });
  expect(stderr).toContain("--scenario=nonsense: there is no such file, and the known ones are default, ");
  expect(status).toBe(1);
});
