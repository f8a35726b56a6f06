// A vitest reporter that writes the test counts and the names of failed tests to a file for make.

import { mkdirSync, writeFileSync } from "node:fs";
import type { Reporter, TestModule, Vitest } from "vitest/node";

export type TalliedTest = { readonly name: string; readonly state: string; readonly tags: readonly string[] };

let isLane = false;

export const tally: Reporter = {
  onInit({ config }: Vitest) {
    isLane = (config.tagsFilter ?? []).length > 0;
  },
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]) {
    const tests = modules.flatMap((module) =>
      [...module.children.allTests()].map((one) => ({
        name: `${module.relativeModuleId} > ${one.fullName}`,
        state: one.result().state,
        tags: one.tags,
      })),
    );
    // Counts files that cannot be loaded and errors outside of tests, which belong to no test.
    const broken = modules.filter((module) => module.errors().length > 0).length + errors.length;
    mkdirSync(".make", { recursive: true });
    writeFileSync(".make/tally", tallyText(tests, { broken, isLane }));
  },
};

/** Returns the tally. Counts tests that a filter omits separately from skipped ones. */
export function tallyText(
  tests: readonly TalliedTest[],
  { broken, isLane: isFiltered }: { readonly broken: number; readonly isLane: boolean },
): string {
  const count = (state: string) => tests.filter((one) => one.state === state).length;
  const isLeftOut = ({ state, tags }: TalliedTest) => isFiltered && state === "skipped" && tags.includes("thorough");
  const leftOut = tests.filter(isLeftOut).length;
  const skipped = count("skipped") - leftOut;
  const failed = tests.filter(({ state }) => state === "failed");
  return [
    ...failed.map(({ name }) => `failed: ${name}\n`),
    leftOut > 0 ? `${leftOut} tests run in make test-all only\n` : "",
    `${count("passed")} passed, ${failed.length + broken} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`,
  ].join("");
}
