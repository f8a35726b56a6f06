// The order of test files: those first that take longest, so that no worker ends up alone with one of them.

import { BaseSequencer, type TestSpecification } from "vitest/node";

/** By their ends, the slowest first; measured in docs/performance.md. Those that are not named follow. */
export const slowest: readonly string[] = [
  "test/campaign/load-aware.test.ts",
  "test/docs/commands.test.ts",
  "test/integration/advisor/tampering.test.ts",
  "test/shape/one-folder-one-line.test.ts",
  "test/integration/simulator.test.ts",
  "test/integration/platform/reboot-impact.test.ts",
  "test/integration/platform/unread-inputs.test.ts",
  "test/integration/replicas.test.ts",
  "test/integration/advisor/options.test.ts",
  "test/integration/platform/large-inputs.test.ts",
  "test/integration/advisor/rollouts.test.ts",
  "test/integration/shipping/removal.test.ts",
  "packages/testkit/src/server/owner-death.integration.test.ts",
  "test/integration/platform/surface.test.ts",
  "test/integration/assets.test.ts",
  "test/e2e/seed-commands.test.ts",
  "test/integration/dead-token.test.ts",
  "test/integration/platform/reporting.test.ts",
  "test/integration/crds-come-and-go.test.ts",
  "test/integration/rights/use.test.ts",
];

export class SlowestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification) => {
      const rank = slowest.findIndex((file) => moduleId.endsWith(`/${file}`));
      return rank < 0 ? slowest.length : rank;
    };
    return Promise.resolve(files.toSorted((left, right) => rankOf(left) - rankOf(right)));
  }
}
