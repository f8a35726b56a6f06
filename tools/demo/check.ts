// Runs a demo scenario unattended: types the suggested commands and checks the result of each stage.

import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { policyDenials } from "../rights/policy-denials.ts";
import { type ClusterReader, openReader } from "./cluster-reader.ts";
import type { DemoScenario } from "./scenarios.ts";
import type { DemoStage } from "./stages.ts";
import { type Simulated, step } from "./steps.ts";
import type { Suggestion } from "./suggestion.ts";
import { watchSwapOrder } from "./swap-order.ts";

const patienceMs = 300_000;

export type DemoEnvironment = Simulated & {
  readonly consoleUrl: string;
  /** The folder with the kubeconfig, kubectl, the plugin, and stand-ins for oc, virtctl and ssh. */
  readonly place: string;
  /** Has the KUBECONFIG and PATH that the demo tells users to set. */
  readonly env: NodeJS.ProcessEnv;
};

export async function checkScenario(demo: DemoEnvironment, { stages, checks }: DemoScenario): Promise<void> {
  const failed = demo.programs.failure.then((why) => Promise.reject(new Error(why)));
  const cluster = openReader(demo.server);
  // Imported only here, because the interactive demo needs no browser.
  const console = checks === "browser" ? await (await import("./check-in-browser.ts")).openConsole(demo) : undefined;
  const order = checks === "swap-order" ? watchSwapOrder(demo.server.kubeconfig) : undefined;
  const carryOut = (suggestion: Suggestion) =>
    console !== undefined && suggestion.approves !== undefined
      ? console.approve(suggestion.approves)
      : type(suggestion, demo.env);
  try {
    for (const stage of stages)
      await step(stage.title, (update) => Promise.race([checkStage(stage, { cluster, carryOut, update }), failed]));
    const complaint = order?.complaint();
    if (complaint !== undefined) throw new Error(complaint);
    const denials = policyDenials(demo.server.audit());
    if (denials.length > 0) throw new Error(`the admission policies deny writes:\n${denials.join("\n")}`);
  } finally {
    await console?.close();
    await order?.stop();
  }
}

type StageContext = {
  readonly cluster: ClusterReader;
  readonly carryOut: (suggestion: Suggestion) => Promise<void>;
  readonly update: (text: string) => void;
};

async function checkStage({ suggest, isOver }: DemoStage, { cluster, carryOut, update }: StageContext): Promise<void> {
  const suggestions = (await suggest(cluster)).filter(({ isForPeople }) => isForPeople !== true);
  if (suggestions.length === 0) throw new Error("this stage has no suggestions");
  for (const suggestion of suggestions) {
    update(suggestion.about);
    await carryOut(suggestion);
  }
  const deadline = AbortSignal.timeout(patienceMs);
  while (!(await isOver(cluster))) {
    if (deadline.aborted) throw new Error(`the stage did not complete within ${patienceMs / 1000} s`);
    await wait(100);
  }
}

async function type({ command, exitCode = 0 }: Suggestion, env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn("sh", ["-c", command], { env, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise<number | null>((resolve) => void child.once("close", resolve));
  const [code, ...words] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  if (code !== exitCode)
    throw new Error(`\`${command}\` exited with ${code} instead of ${exitCode}:\n${words.join("").trimEnd()}`);
}
