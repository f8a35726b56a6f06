// How tests are found and run. A timeout here is a hang guard: it means "hung", never "slow".

import { defineConfig } from "vitest/config";
import { tally } from "./tools/tally.ts";

export default defineConfig({
  test: {
    include: [
      "packages/*/src/**/*.test.ts",
      "apps/*/src/**/*.test.ts",
      "bench/src/**/*.test.ts",
      "catalog/**/*.test.ts",
      "tools/**/*.test.ts",
      "test/**/*.test.ts",
    ],
    pool: "forks",
    maxWorkers: 2, // most of the time a test waits for other processes
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 45_000 } },
    retry: 0,
    chaiConfig: { truncateThreshold: 0 }, // a test's name is a promise: shown whole
    reporters: ["default", tally],
  },
});
