// Runs every command of docs/autopilot.md in order, on a cluster with virt-platform-autopilot.

import { dirname } from "node:path";
import { inRepository } from "@virt/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openShell, type Shell } from "../e2e/shell.ts";
import { type AdoptedTestCluster, startAdoptedCluster } from "../support/adopted-cluster.ts";
import { filledIn, stepsOf } from "./printed.ts";

const page = "docs/autopilot.md";
const programs = [dirname(inRepository("dist", "kubectl-virt_advisor")), dirname(process.execPath)].join(":");
let cluster: AdoptedTestCluster;
let shell: Shell;

beforeAll(async () => {
  cluster = await startAdoptedCluster();
  shell = openShell(cluster.testCluster.server);
});
afterAll(() => cluster[Symbol.asyncDispose]());

test(`the commands in ${page} work`, { timeout: 600_000 }, async () => {
  const steps = stepsOf(page);
  expect(steps.length).toBeGreaterThan(5);
  for (const { text, lead } of steps) {
    const before = cluster.reboots().length;
    const typed = filledIn(text).replaceAll(/^kubectl virt-advisor adopt.*$/gm, "$& --yes"); // there is no terminal
    const { code, stdout, stderr } = await shell.run(`set -e; export PATH=${programs}:$PATH\n${typed}`); // oxlint-disable-line no-await-in-loop -- in their order
    expect({ text, code, said: code === 0 ? "" : `${stdout}${stderr}` }).toEqual({ text, code: 0, said: "" });
    await cluster.settledSources(); // oxlint-disable-line no-await-in-loop -- until the nodes run the result
    expect({ lead, hasRebooted: cluster.reboots().length > before }).toEqual({
      lead,
      hasRebooted: /reboots?\b/.test(lead),
    });
  }
});
