import { readFileSync, statSync } from "node:fs";
import { inRepository } from "@virt/testkit";
import { load } from "js-yaml";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commandsOf } from "./blocks.ts";
import { type DevCluster, startDevCluster } from "./dev-cluster.ts";
import { copiedSteps } from "./guide/steps.ts";
import { isTyped, seedBlocks, tryOut } from "./seed-commands.ts";
import { areSeedsThere, blocksOf } from "./seeds.ts";

const all = seedBlocks.flatMap(({ commands = [] }) => commands);
const typed = seedBlocks
  .map(({ document, headline, commands = [] }) => ({
    at: `${document}, ${headline}`,
    commands: commands.filter((one) => isTyped(one) && one.last !== true),
  }))
  .filter(({ commands }) => commands.length > 0);

describe("with `make dev-setup` and `make run`:", () => {
  let cluster: DevCluster;
  let isBroken = false;

  beforeAll(async () => {
    cluster = await startDevCluster();
  });
  afterAll(() => cluster.end());

  test.for(typed)("the commands in $at work", { timeout: 300_000 }, async ({ commands }, context) => {
    context.skip(isBroken, "an earlier command failed");
    context.onTestFailed(() => {
      isBroken = true;
    });
    for (const one of commands) await tryOut(cluster.shell, one);
    expect(cluster.operator.isRunning()).toBe(true);
  });

  test("make run refuses every context except the one of make dev-setup", async () => {
    const { shell } = cluster;
    await shell.run("kubectl config use-context production");
    const { code, stderr } = await shell.run("make run");
    expect(code).not.toBe(0);
    expect(stderr).toContain('kubectl\'s current context is "production"');
    expect(stderr).toContain("make run CONTEXT=production, or make run YES=1");
    await shell.run("kubectl config use-context virt-dev");
  });

  test("sends no request to the production context of the user's kubeconfig", async () => {
    expect(await cluster.production.requests()).toEqual([]);
  });

  test("the last command removes everything", async () => {
    const { operator, shell } = cluster;
    await operator.stop();
    for (const one of all.filter(({ last }) => last === true)) await tryOut(shell, one);
    expect((await shell.run("kubectl get virtplatformconfigs")).code).not.toBe(0);
  });

  test("the last command restores the user's kubeconfig, its current context and permissions", () => {
    const { kubeconfig, kubeconfigBefore, kubeconfigFile } = cluster.production;
    expect(load(kubeconfig())).toEqual(load(kubeconfigBefore));
    expect(statSync(kubeconfigFile).mode & 0o777).toBe(0o640);
  });
});

test("every make target in the seeds exists", () => {
  const targets = [...readFileSync(inRepository("Makefile"), "utf8").matchAll(/^([a-z0-9-]+):/gm)].map(
    ([, name]) => name,
  );
  const named = all.filter(({ type }) => type.startsWith("make ")).flatMap(({ type }) => type.split(" ").slice(1));
  expect(named.filter((word) => !word.includes("=") && !targets.includes(word))).toEqual([]);
});

test("every command that cannot work has a correction and a reason", () => {
  const corrected = all.filter(({ instead }) => instead !== undefined);
  expect(corrected.filter(({ because }) => because === undefined)).toEqual([]);
  expect(corrected.length).toBeGreaterThan(0);
});

describe.runIf(areSeedsThere)("the seeds", () => {
  const documents = [
    "load-aware-profile",
    "higher-density-profile",
    "platform-readme",
    "advisor-readme",
    "workflow-guide",
  ];
  const isText = (at: string) =>
    seedBlocks.some(({ document, headline, not }) => not !== undefined && at === `${document}, ${headline}`);

  test("contain exactly the classified command blocks", () => {
    const printed = documents.flatMap((document) =>
      blocksOf(document).flatMap((block) => {
        const at = `${document}, ${block.headline}`;
        const commands = commandsOf(block);
        return commands.length === 0 ? [] : [{ at, commands: isText(at) ? [] : commands }];
      }),
    );
    const classified = [
      ...seedBlocks.map(({ document, headline, commands = [] }) => ({
        at: `${document}, ${headline}`,
        commands: commands.map(({ type }) => type),
      })),
      ...copiedSteps().map(({ section, commands }) => ({ at: `workflow-guide, ${section}`, commands })),
    ];
    expect(classified).toEqual(printed);
  });
});
