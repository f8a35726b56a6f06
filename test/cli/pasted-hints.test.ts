// @module-tag thorough

import { afterAll, beforeAll, expect, test } from "vitest";
import { loadAware } from "../support/advisor.ts";
import type { TestCluster } from "../support/test-cluster.ts";
import { startAdvisedCluster } from "./advised-cluster.ts";
import { cliPastes, nextStepPastes, reportNamespace } from "./cli-pastes.ts";
import { pasteCommand, pasteFailure } from "./pasted-command.ts";
import { notActivated, storeReport } from "./platform-objects.ts";

let testCluster: TestCluster;

beforeAll(async () => {
  testCluster = await startAdvisedCluster({ lacksRights: true });
  await storeReport(testCluster.server, reportNamespace, { exclusions: [notActivated] });
});
afterAll(() => testCluster[Symbol.asyncDispose]());

test.each(cliPastes)("`$command` runs as printed", async (paste) => {
  expect(await pasteFailure(paste, testCluster.server)).toBeUndefined();
});

test.each(nextStepPastes)("the next step `$command` runs as printed", async (paste) => {
  await testCluster.configs.until(loadAware, "Completed");
  expect(await pasteFailure(paste, testCluster.server)).toBeUndefined();
});

test.each([
  { words: ["plan", "load"], completed: loadAware },
  { words: ["explain", "swap"], completed: "swap-enable" },
  { words: ["enable", ""], completed: "swap-enable" },
])("bash completes $words from the cluster", async ({ words, completed }) => {
  const script = `source <(kubectl-virt_advisor completion bash)
    COMP_WORDS=(kubectl-virt_advisor ${words.map((word) => `"${word}"`).join(" ")}); COMP_CWORD=${words.length}
    _kubectl_virt_advisor; echo "\${COMPREPLY[@]}"`;
  expect(await pasteCommand(`bash -c '${script}'`, testCluster.server)).toEqual({ code: 0, printed: `${completed}\n` });
});
