import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inRepository } from "@virt/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { copiedSteps } from "./guide/steps.ts";
import { isTyped, seedBlocks, tryOut } from "./seed-commands.ts";
import { areSeedsThere, blocksOf, commandsOf } from "./seeds.ts";
import { type Background, openShell, type Shell } from "./shell.ts";

const all = seedBlocks.flatMap(({ commands = [] }) => commands);
const typed = seedBlocks
  .map(({ document, headline, commands = [] }) => ({
    at: `${document}, ${headline}`,
    commands: commands.filter((one) => isTyped(one) && one.last !== true),
  }))
  .filter(({ commands }) => commands.length > 0);

describe("on the cluster of `make dev-setup`, with the operator of `make run`,", () => {
  const folder = mkdtempSync(join(tmpdir(), "seed-commands-"));
  const env = {
    DEV_FOLDER: join(folder, "cluster"),
    SCENARIO: "three-workers",
    SPEED: "1000",
    FLAGS: "--health-probe-bind-address=0",
  };
  let shell: Shell;
  let operator: Background | undefined;
  let guard: Background | undefined;
  let isBroken = false;

  beforeAll(async () => {
    const before = openShell({ folder: mkdtempSync(join(folder, "before-")), binaries: "", kubeconfig: "", env });
    const { code, stdout, stderr } = await before.run("make dev-setup");
    if (code !== 0) throw new Error(stderr);
    const [, kubeconfig = "", binaries = ""] = /^export KUBECONFIG=(\S+) PATH=(\S+):\$PATH$/m.exec(stdout) ?? [];
    shell = openShell({ folder, binaries, kubeconfig, env });
    operator = shell.start("make run");
    // The cluster outlives this process by design, even one that is killed.
    const untilThen = `exec >/dev/null 2>&1; while kill -0 ${process.pid}; do sleep 1; done`;
    guard = shell.start(`${untilThen}; kill -- -${operator.pid}; make kind-delete`);
  });
  afterAll(async () => {
    await operator?.stop();
    await shell.run("make kind-delete");
    await guard?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test.for(typed)("the commands work that are printed in $at", { timeout: 120_000 }, async ({ commands }, context) => {
    context.skip(isBroken, "an earlier one failed");
    context.onTestFailed(() => {
      isBroken = true;
    });
    for (const one of commands) await tryOut(shell, one);
    expect(operator?.isRunning()).toBe(true); // what is typed in one terminal runs in the other
  });

  test("the last command leaves nothing behind", async () => {
    await operator?.stop();
    for (const one of all.filter(({ last }) => last === true)) await tryOut(shell, one);
    expect((await shell.run("kubectl get nodes")).code).not.toBe(0);
  });
});

test("a command that is said to come later has no make target yet", () => {
  const targets = [...readFileSync(inRepository("Makefile"), "utf8").matchAll(/^([a-z-]+):/gm)].map(([, name]) => name);
  const later = all.filter((one) => one.later !== undefined).flatMap(({ type }) => type.split(" ").slice(1));
  expect(later.filter((word) => targets.includes(word))).toEqual([]);
});

test("a command that cannot work has its correction and the reason", () => {
  const corrected = all.filter(({ instead }) => instead !== undefined);
  expect(corrected.filter(({ because }) => because === undefined)).toEqual([]);
  expect(corrected.length).toBeGreaterThan(0);
});

describe.runIf(areSeedsThere)("the seeds", () => {
  const documents = ["load-aware-profile", "higher-density-profile", "advisor-readme", "workflow-guide"];
  const isText = (at: string) =>
    seedBlocks.some(({ document, headline, not }) => not !== undefined && at === `${document}, ${headline}`);

  test("have no block of commands that is not classified, and no other", () => {
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
