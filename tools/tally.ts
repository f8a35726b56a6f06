// A vitest reporter that leaves the number of passed and failed tests, and the names of those that failed, where make finds it.

import { mkdirSync, writeFileSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";

export const tally: Reporter = {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]) {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string) => tests.filter((one) => one.result().state === state).length;
    // A file that cannot be loaded, or an error outside of all tests, is a failure that no test carries.
    const broken = modules.filter((module) => module.errors().length > 0).length + errors.length;
    const skipped = count("skipped");
    const ending = skipped > 0 ? `, ${skipped} skipped` : "";
    const failed = tests.filter((one) => one.result().state === "failed");
    const names = failed.map((one) => `failed: ${one.module.relativeModuleId} > ${one.fullName}\n`).join("");
    mkdirSync(".make", { recursive: true });
    writeFileSync(".make/tally", `${names}${count("passed")} passed, ${failed.length + broken} failed${ending}\n`);
  },
};
