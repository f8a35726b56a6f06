// Runs the slowest test files first, so that no worker runs one alone at the end.

import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The slowest test files of both lanes, slowest first. All others follow. */
export const slowest: readonly string[] = [
  "test/campaign/load-aware.test.ts",
  "test/shape/one-folder-one-line.test.ts",
  "test/docs/commands.test.ts",
  "test/advisor/tampering.test.ts",
  "test/platform/reboot-impact.test.ts",
  "test/install/gitops.test.ts",
  "test/platform/unread-inputs.test.ts",
  "test/integration/replicas.test.ts",
  "test/install/prometheus.test.ts",
  "test/install/upgrade-phases.test.ts",
  "test/integration/simulator.test.ts",
  "test/install/upgrade-assets.test.ts",
  "test/platform/large-inputs.test.ts",
  "test/e2e/workflow-guide.test.ts",
  "packages/testkit/src/server/owner-death.integration.test.ts",
  "test/integration/dead-token.test.ts",
  "test/advisor/stuck-rollouts.test.ts",
  "test/advisor/rollouts.test.ts",
  "test/integration/shipping/removal.test.ts",
  "test/integration/assets.test.ts",
  "test/console/inspection.test.ts",
  "test/integration/bad-input.test.ts",
  "test/platform/edit-war.test.ts",
  "test/integration/crds-come-and-go.test.ts",
  "test/platform/reporting.test.ts",
  "test/e2e/seed-commands.test.ts",
  "test/install/pods.test.ts",
  "test/install/image.test.ts",
  "packages/testkit/src/server/server.integration.test.ts",
  "test/platform/events.test.ts",
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
