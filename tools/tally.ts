// A vitest reporter that writes the numbers of passed and failed tests, and the names of failed ones, to a file that make prints.

import { mkdirSync, writeFileSync } from "node:fs";
import type { Reporter, TestCase, TestModule } from "vitest/node";

export const tally: Reporter = {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]) {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string) => tests.filter((one) => one.result().state === state).length;
    // A file that cannot be loaded, or an error outside of all tests, is a failure that no test carries.
    const broken = modules.filter((module) => module.errors().length > 0).length + errors.length;
    const leftOut = tests.filter((one) => isLeftOut(one)).length;
    const skipped = count("skipped") - leftOut;
    const ending = skipped > 0 ? `, ${skipped} skipped` : "";
    const lane = leftOut > 0 ? `${leftOut} tests run in make test-all only\n` : "";
    const failed = tests.filter((one) => one.result().state === "failed");
    const names = failed.map((one) => `failed: ${one.module.relativeModuleId} > ${one.fullName}\n`).join("");
    mkdirSync(".make", { recursive: true });
    writeFileSync(
      ".make/tally",
      `${names}${lane}${count("passed")} passed, ${failed.length + broken} failed${ending}\n`,
    );
  },
};

/** True if the lane that runs, and not the test itself, left it out. */
function isLeftOut(one: TestCase): boolean {
  return one.result().state === "skipped" && one.tags.includes("thorough");
}
