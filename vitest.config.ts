// Configures the test projects. A timeout here is a hang guard: it means "hung", never "slow".

import { defineConfig } from "vitest/config";
import { tally } from "./tools/tally.ts";
import { SlowestFirst } from "./tools/test-setup/slowest-first.ts";

/** Folders with tests next to their sources: unit tests, except `*.integration.test.ts`. */
const besideSources = ["packages/*/src", "apps/*/src", "bench/src", "catalog", "tools"];

export default defineConfig({
  test: {
    testTimeout: 400_000,
    hookTimeout: 400_000,
    expect: { poll: { timeout: 120_000 } },
    retry: 0,
    // `make test` leaves out these tests, `make test-all` runs everything.
    tags: [{ name: "thorough", description: "many faults, rounds or releases, or programs that take minutes to get" }],
    maxWorkers: 4, // on two cores: tests often wait for other processes, and with 3 workers a sixth of both cores was idle
    sequence: { sequencer: SlowestFirst },
    chaiConfig: { truncateThreshold: 0 }, // show test names whole
    reporters: ["default", tally],
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: besideSources.map((folder) => `${folder}/**/*.test.ts`),
          exclude: ["**/*.integration.test.ts"],
          setupFiles: ["tools/test-setup/configure-laws.ts", "tools/test-setup/forbid-processes.ts"],
          pool: "threads",
          isolate: false, // a worker loads each module once: loading costs more than most tests
        },
      },
      {
        extends: true,
        test: {
          name: "integration",
          include: ["test/**/*.test.ts", ...besideSources.map((folder) => `${folder}/**/*.integration.test.ts`)],
          exclude: ["test/install/**"],
          setupFiles: ["tools/test-setup/configure-laws.ts"],
          globalSetup: ["tools/test-setup/server-pool.ts"],
          pool: "forks",
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "install",
          include: ["test/install/**/*.test.ts"],
          setupFiles: ["tools/test-setup/configure-laws.ts"],
          pool: "forks",
          env: { GOGC: "off", GOMEMLIMIT: "1GiB" },
        },
      },
    ],
  },
});
