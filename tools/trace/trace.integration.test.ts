// @module-tag thorough
//
// Traces one drift and one plan through the operator, and writes the entered files for `make trace`.

import { mkdirSync, writeFileSync } from "node:fs";
import { inRepository } from "@virt/testkit";
import { expect, test } from "vitest";
import { createPool } from "../../test/campaign/worker-pool.ts";
import { openAccount } from "../../test/support/account.ts";
import { startFullCluster, untilConverged } from "../../test/support/full-cluster.ts";
import { startTestCluster } from "../../test/support/test-cluster.ts";
import { traceReport } from "./entered-files.ts";
import { startTracedOperator, type TracedOperator } from "./traced-operator.ts";

const folder = inRepository(".make", "trace");
const usualFlags = ["--health-probe-bind-address=0", "--log-level=error"];

type Trace = Awaited<ReturnType<TracedOperator["trace"]>>;

function save(name: string, { toWrite, afterWrite }: Trace): void {
  const known = new Set(toWrite.map(({ file }) => file));
  const added = afterWrite.filter(({ file }) => !known.has(file));
  const report = (isDetailed: boolean) =>
    [
      traceReport(`${name}, to the write`, toWrite, isDetailed),
      traceReport(`${name}, only after the write`, added, isDetailed),
    ].join("");
  mkdirSync(folder, { recursive: true });
  const file = name.replaceAll(" ", "-");
  writeFileSync(`${folder}/${file}.txt`, report(false));
  writeFileSync(`${folder}/${file}.functions.txt`, report(true));
}

const drifts = [
  {
    name: "one drift",
    path: "/apis/observability.openshift.io/v1alpha1/uiplugins/monitoring",
    spec: { monitoring: { perses: { enabled: false } } },
  },
  {
    // The asset renders the object from what it reads of it, so the drift is also an input.
    name: "one drift of an input",
    path: "/apis/remediation.medik8s.io/v1alpha1/nodehealthchecks/virt-node-health-check",
    spec: { minHealthy: "10%" },
  },
];

test("traces drifts when an equal drift was corrected before", async () => {
  const full = await startFullCluster();
  const { kubeconfig } = await openAccount(full.testCluster.server, "platform");
  const flags = ["--controllers=platform", "--activation=always", `--kubeconfig=${kubeconfig}`, ...usualFlags];
  const operator = startTracedOperator(flags);
  try {
    await untilConverged(full);
    for (const { name, path, spec } of drifts) {
      const drift = () => full.edit(path, { spec });
      await operator.trace(path, drift);
      const trace = await operator.trace(path, drift);
      save(name, trace);
      expect(trace.toWrite.map(({ file }) => file)).toContain("apps/operator/src/platform/reconcile.ts");
    }
  } finally {
    await operator.kill();
    await full[Symbol.asyncDispose]();
  }
});

test("traces one plan from the request for a draft to the write of its first item", async () => {
  const testCluster = await startTestCluster();
  const { configs, server } = testCluster;
  await createPool(server);
  const { kubeconfig } = await openAccount(server, "advisor");
  const operator = startTracedOperator(["--controllers=advisor", `--kubeconfig=${kubeconfig}`, ...usualFlags]);
  const profile = "load-aware-rebalancing";
  try {
    await configs.until(profile, "Ignored");
    const trace = await operator.trace("/apis/machineconfiguration.openshift.io/v1/machineconfigs", async () => {
      await configs.edit(profile, { action: "DryRun" });
      await configs.until(profile, "ReviewRequired");
      await configs.edit(profile, { action: "Apply" });
    });
    save("one plan", trace);
    expect(trace.toWrite.map(({ file }) => file)).toContain("apps/operator/src/advisor/apply-item.ts");
  } finally {
    await operator.kill();
    await testCluster[Symbol.asyncDispose]();
  }
});
