// Runs the shipped operator with metrics, and the commands of runbooks.

import { freePorts, inRepository, type KubectlResult } from "@virt/testkit";
import { expect, vi } from "vitest";
import { openShell } from "../e2e/shell.ts";
import type { RunningProgram } from "../support/program.ts";
import type { TestCluster } from "../support/test-cluster.ts";
import { readRunbook } from "./runbook.ts";

export type RunbookShell = {
  /** Waits until the diagnosis prints all texts, because a metric can be ahead of the status. */
  readonly expectDiagnosis: (alert: string, ...texts: (string | RegExp)[]) => Promise<void>;
  readonly mitigate: (alert: string) => Promise<string>;
  /** Runs the alternatives of the page in order, and waits after each one until it has taken effect. */
  readonly mitigateInSteps: (alert: string, waits: readonly (() => Promise<void>)[]) => Promise<void>;
};

export type ScrapedOperator = RunbookShell & {
  readonly operator: RunningProgram;
  readonly scrape: () => Promise<string>;
  readonly expectSeries: (line: RegExp) => Promise<void>;
  readonly expectNoSeries: (line: RegExp) => Promise<void>;
};

export async function startScrapedOperator(
  testCluster: TestCluster,
  flags: readonly string[] = [],
): Promise<ScrapedOperator> {
  const [port = 0] = await freePorts(1);
  const metrics = [`--metrics-bind-address=127.0.0.1:${port}`, "--metrics-secure=false"];
  const operator = await testCluster.startOperator({ flags: ["--leader-elect", ...metrics, ...flags] });
  const scrape = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  await until(async () => void (await scrape()));
  return {
    operator,
    scrape,
    expectSeries: (line) => until(async () => expect(near(line, await scrape())).toMatch(line)),
    expectNoSeries: (line) => until(async () => expect(near(line, await scrape())).not.toMatch(line)),
    ...openRunbookShell(testCluster),
  };
}

export function openRunbookShell({ server: { folder, binaries, kubeconfig } }: TestCluster): RunbookShell {
  const shell = openShell({ folder, binaries, kubeconfig });
  return {
    expectDiagnosis: (alert, ...texts) =>
      until(async () => {
        const printed = said(await shell.run(readRunbook(alert).diagnosis));
        for (const text of texts) expect(printed).toMatch(text);
      }),
    mitigate: async (alert) => said(await shell.run(readRunbook(alert).mitigation)),
    mitigateInSteps: async (alert, waits) => {
      const steps = readRunbook(alert).mitigationSteps;
      expect(waits.length).toBe(steps.length);
      for (const [at, step] of steps.entries()) {
        said(await shell.run(step)); // oxlint-disable-line no-await-in-loop -- in order
        await waits[at]?.(); // oxlint-disable-line no-await-in-loop -- in order
      }
    },
  };
}

const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 120_000, interval: 100 });

/** Returns the existing series of the metric, for the failure message. */
function near({ source }: RegExp, scraped: string): string {
  const [, metric = ""] = /^\^(\w+)/.exec(source) ?? [];
  return scraped
    .split("\n")
    .filter((line) => line.startsWith(metric))
    .join("\n");
}

/** Creates the operator's Deployment without running it. */
export async function applyDeployment({ server }: TestCluster, controller: "advisor" | "platform"): Promise<void> {
  said(await server.kubectl("apply", "--server-side", "-k", inRepository("config", "manager", controller)));
}

function said({ code, stdout, stderr }: KubectlResult): string {
  if (code !== 0) throw new Error(stderr);
  return stdout;
}
