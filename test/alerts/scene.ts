// The shipped operator with its metrics, and a shell for what the runbooks print.

import { freePorts, inRepository, type Output } from "@virt/testkit";
import { expect, vi } from "vitest";
import { openShell } from "../e2e/shell.ts";
import type { RunningProgram } from "../world/program.ts";
import type { World } from "../world/world.ts";
import { readRunbook } from "./runbook.ts";

export type Scene = {
  readonly operator: RunningProgram;
  readonly scrape: () => Promise<string>;
  /** Waits until what is scraped has a line like this, or has none. */
  readonly shows: (line: RegExp) => Promise<void>;
  readonly hides: (line: RegExp) => Promise<void>;
  readonly diagnose: (alert: string) => Promise<string>;
  readonly mitigate: (alert: string) => Promise<string>;
};

export async function openScene(world: World, flags: readonly string[] = []): Promise<Scene> {
  const [port = 0] = await freePorts(1);
  const metrics = [`--metrics-bind-address=127.0.0.1:${port}`, "--metrics-secure=false"];
  const operator = await world.startOperator({ flags: ["--leader-elect", ...metrics, ...flags] });
  const { folder, binaries, kubeconfig } = world.server;
  const shell = openShell({ folder, binaries, kubeconfig });
  const scrape = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const until = (look: () => Promise<void>) => vi.waitFor(look, { timeout: 45_000, interval: 100 });
  await until(async () => void (await scrape()));
  return {
    operator,
    scrape,
    shows: (line) => until(async () => expect(near(line, await scrape())).toMatch(line)),
    hides: (line) => until(async () => expect(near(line, await scrape())).not.toMatch(line)),
    diagnose: async (alert) => said(await shell.run(readRunbook(alert).diagnosis)),
    mitigate: async (alert) => said(await shell.run(readRunbook(alert).mitigation)),
  };
}

/** The series of the metric that is asked for, so that a failure shows what there is in its place. */
function near({ source }: RegExp, scraped: string): string {
  const [, metric = ""] = /^\^(\w+)/.exec(source) ?? [];
  return scraped
    .split("\n")
    .filter((line) => line.startsWith(metric))
    .join("\n");
}

/** The Deployment of an operator, though nothing runs it here. */
export async function deploy({ server }: World, controller: "advisor" | "platform"): Promise<void> {
  said(await server.kubectl("apply", "--server-side", "-k", inRepository("config", "manager", controller)));
}

function said({ code, stdout, stderr }: Output): string {
  if (code !== 0) throw new Error(stderr);
  return stdout;
}
