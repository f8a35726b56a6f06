// @module-tag thorough

import { afterAll, beforeAll, expect, test } from "vitest";
import { applyManifests } from "../support/account.ts";
import { higherDensity, loadAware } from "../support/advisor.ts";
import { startTestCluster, type TestCluster } from "../support/test-cluster.ts";
import { cliPastes, nextStepPastes, reportNamespace } from "./cli-pastes.ts";
import { pasteCommand, pasteFailure } from "./pasted-command.ts";

const left = { asset: "swap-enable", group: "swap", target: "MachineConfig x", reason: "NotActivated", details: "" };
const report = {
  version: 1,
  activation: { mode: "opt-in", isActive: false },
  hco: null,
  objects: [],
  exclusions: [left],
};
const manifests = `apiVersion: v1
kind: Namespace
metadata: {name: ${reportNamespace}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: virt-platform-operator-report, namespace: ${reportNamespace}}
data: {report.json: '${JSON.stringify(report)}'}
`;
let testCluster: TestCluster;

beforeAll(async () => {
  testCluster = await startTestCluster({ crds: { kubevirts: "kubevirts" }, lacksRights: true });
  await testCluster.simulate("three-workers");
  await testCluster.startOperator();
  for (const name of [loadAware, higherDensity]) await testCluster.configs.until(name, "Ignored");
  await applyManifests(testCluster.server, manifests);
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
