// A vitest reporter that writes the numbers of passed and failed tests, and the names of failed ones, to a file that make prints.

import { mkdirSync, writeFileSync } from "node:fs";
import type { Reporter, TestModule, Vitest } from "vitest/node";

/** A test that was collected, and what became of it. */
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
    // A file that cannot be loaded, or an error outside of all tests, is a failure that no test carries.
    const broken = modules.filter((module) => module.errors().length > 0).length + errors.length;
    mkdirSync(".make", { recursive: true });
    writeFileSync(".make/tally", tallyText(tests, { broken, isLane }));
  },
};

/** Returns the tally. A test that a lane left out is counted apart; in a run of all tests it was skipped. */
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
