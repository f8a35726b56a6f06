// The second part of `make screenshots`: a terminal recording from the list of profiles to a completed plan.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { openReader, phaseIs } from "../demo/cluster-reader.ts";
import { bringUp, node, type Simulated, step } from "../demo/steps.ts";
import { plugin } from "../demo/suggestion.ts";
import { openRecordedShell, type RecordedShell } from "./recorded-shell.ts";

const { SPEED = "120" } = process.env;
const file = join("dist", "screenshots", "journey.cast");
const profile = "load-aware-rebalancing";

async function record({ server }: Simulated): Promise<void> {
  const cluster = openReader(server);
  const until = async (isIt: () => Promise<boolean> | boolean) => {
    while (!(await isIt())) await new Promise((settle) => setTimeout(settle, 100));
  };
  await until(() => phaseIs(profile, "Ignored")(cluster));
  const shell = await openRecordedShell({
    title: "kubectl virt-advisor: from a profile to a configured cluster",
    env: { ...process.env, KUBECONFIG: server.kubeconfig, PATH: `${resolve("dist")}:${process.env["PATH"]}` },
  });
  try {
    await typeJourney(shell, () => until(() => phaseIs(profile, "Completed")(cluster)));
  } finally {
    await shell.end();
  }
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, shell.cast());
}

/** Ctrl-C ends `status --watch` when the plan is complete. */
async function typeJourney(shell: RecordedShell, untilCompleted: () => Promise<void>): Promise<void> {
  await shell.run(`${plugin} profiles`);
  await shell.run(`${plugin} plan ${profile}`);
  await shell.run(`${plugin} diff ${profile}`);
  await shell.run(`${plugin} approve ${profile}`, { asks: "Type yes to confirm:", answer: "yes" });
  const following = shell.run(`${plugin} status ${profile} --watch`);
  await untilCompleted();
  await shell.isShown("Completed");
  shell.interrupt();
  await following;
  await shell.run(`${plugin} profiles`);
}

const cluster = await bringUp({
  scenario: "three-workers",
  speed: SPEED,
  outlivesOwner: false,
  programs: (kubeconfig) => [
    node("operator", "dist/virt-operator.mjs", `--kubeconfig=${kubeconfig}`, "--health-probe-bind-address=0"),
  ],
});
try {
  await step("terminal recording", () => record(cluster));
  process.stdout.write(`${file}\n`);
} finally {
  await cluster.programs.end();
  await cluster.server.stop();
}
