import { expect } from "vitest";
import { runCommand } from "../support/platform-cluster.ts";

export type AdviceStep = readonly [RegExp, (...words: readonly string[]) => Promise<unknown>];

export type ExplainedAsset = { readonly status: string; readonly reason: string; readonly advice: string };

export async function explainAsset(asset: string, kubeconfig: string): Promise<ExplainedAsset> {
  const flags = ["--activation=opt-in", `--kubeconfig=${kubeconfig}`];
  const { code, stdout, stderr } = await runCommand("explain", asset, ...flags);
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  const [, status = "", reason = ""] = /^Status: +(\w+)(?:, (\w+))?/mu.exec(stdout) ?? [];
  const [, advice = ""] = /How to change this:\n {2}(.*)/u.exec(stdout) ?? [];
  return { status, reason, advice };
}

/** Follows the first advice until the asset is applied. Returns the reasons on the way. */
export async function followAdvice(
  explain: () => Promise<ExplainedAsset>,
  steps: readonly AdviceStep[],
): Promise<readonly string[]> {
  const met: string[] = [];
  for (;;) {
    const { status, reason, advice } = await explain();
    if (status === "INCLUDED") return met;
    expect(met, `the advice on ${reason} did not help: ${advice}`).not.toContain(reason);
    met.push(reason);
    const step = steps.find(([pattern]) => pattern.test(advice));
    expect(step, `no step for the advice: ${advice}`).toBeDefined();
    const [, ...words] = step?.[0].exec(advice) ?? [];
    await step?.[1](...words);
  }
}
