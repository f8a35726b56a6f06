// @module-tag thorough

import { profiles } from "@virt/catalog";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DevCluster, startDevCluster } from "../e2e/dev-cluster.ts";
import type { Shell } from "../e2e/shell.ts";
import { pages } from "./pages.ts";
import { exceptionFor, filledIn, list, type Step, stepsOf, triable } from "./printed.ts";
import { followReboots } from "./reboots.ts";

describe("with `make dev-setup` and `make run`:", () => {
  let cluster: DevCluster;

  beforeAll(async () => {
    cluster = await startDevCluster();
  });
  afterAll(() => cluster.end());

  // Runs before the pages, because the last page removes the CRD.
  test("detects a step that reboots nodes without a warning before it", async () => {
    await tidy(cluster.shell);
    const reboots = await followReboots(cluster.shell);
    const text = `kubectl patch vpconf load-aware-rebalancing --type=merge -p '{"spec":{"action":"Apply"}}'`;
    await type(cluster.shell, text);
    const step: Step = { kind: "commands", says: text, text, prints: [], lead: "Apply the profile:" };
    await expect
      .poll(() => reboots.unannounced(step))
      .toBe(`"${text}" reboots pool worker, and the paragraph before it does not say so: Apply the profile:`);
  });

  test.for(list.tried)("the commands in %s work and print the shown output", { timeout: 600_000 }, async (page) => {
    await tidy(cluster.shell);
    const reboots = await followReboots(cluster.shell);
    for (const step of stepsOf(page)) {
      if (exceptionFor(page, step) !== undefined) continue;
      await take(cluster.shell, step);
      expect(await reboots.unannounced(step)).toBeUndefined();
    }
    expect(cluster.operator.isRunning()).toBe(true);
  });
});

/** Waits until the profiles are advertised and the nodes have their original configuration. */
async function tidy(shell: Shell): Promise<void> {
  for (const command of list.before) await type(shell, command);
  const phases = async () => (await shell.run("kubectl get vpconf -o jsonpath='{.items[*].status.phase}'")).stdout;
  const advertised = profiles.filter(({ isAdvertised }) => isAdvertised);
  await expect.poll(phases).toBe(advertised.map(() => "Ignored").join(" "));
  // Until the pool renders without the deleted MachineConfigs, it still reports Updated.
  const names = async (query: string) => (await type(shell, `kubectl get ${query}`)).split(" ");
  const deletedSources = async () => {
    const sources = await names("machineconfigpool worker -o jsonpath='{.spec.configuration.source[*].name}'");
    const present = await names("machineconfig -o jsonpath='{.items[*].metadata.name}'");
    return sources.filter((name) => !present.includes(name));
  };
  await expect.poll(deletedSources).toEqual([]);
  await type(shell, "kubectl wait machineconfigpool worker --for=condition=Updated --timeout=3m");
}

async function take(shell: Shell, { kind, text, prints }: Step): Promise<void> {
  if (kind === "object") return dryRun(shell, text);
  const printed = (await type(shell, `set -e\n${filledIn(text)}`)).split("\n").map(comparable);
  const missing = prints.filter((line) => !printed.includes(comparable(line)));
  expect({ text, printed, missing }).toEqual({ text, printed, missing: [] });
}

async function type(shell: Shell, command: string): Promise<string> {
  const { code, stdout, stderr } = await shell.run(command);
  expect({ command, code, stderr: code === 0 ? "" : stderr }).toEqual({ command, code: 0, stderr: "" });
  return stdout;
}

/** Expects the API server to accept the object, with all fields and without warnings. */
async function dryRun(shell: Shell, text: string): Promise<void> {
  const apply = "kubectl apply --server-side --dry-run=server --validate=strict";
  const flags = "--field-manager=reader --force-conflicts";
  const { code, stderr } = await shell.run(`${apply} ${flags} -f - <<'EOF'\n${text}EOF`);
  expect({ text, code, stderr }).toEqual({ text, code: 0, stderr: "" });
}

/** Masks ages and hashes, and ignores column widths. */
function comparable(line: string): string {
  const words = line.trim().split(/\s+/);
  return words.map((word) => word.replace(/^(\d+[smhd])+$/, "<age>").replaceAll(/[0-9a-f]{32,}/g, "<hash>")).join(" ");
}

test("every page with commands or objects is tested here, or listed as tested elsewhere", () => {
  expect(list.tried.toSorted()).toEqual(triable.toSorted());
  const stale = Object.keys(list.elsewhere).filter((begin) => !pages.some(({ path }) => path.startsWith(begin)));
  expect(stale).toEqual([]);
});

test("every exception is still on its page and has a reason", () => {
  const printed = list.tried.flatMap((page) => stepsOf(page).map((step) => exceptionFor(page, step)));
  expect(list.exceptions.filter((one) => !printed.includes(one) || one.because === "")).toEqual([]);
});
