// Plays the demo without a person: a MachineConfig rolls out over the workers, and nothing is left undone.

import { setTimeout as wait } from "node:timers/promises";
import { asList, at, type KubeObject, machineConfigPoolHealth, member } from "@virt/engine";
import type { Server } from "@virt/testkit";
import { type Simulated, step } from "./steps.ts";

const machineConfig = "99-demo-kernel-argument";
const patienceMs = 300_000;

export async function rehearse({ server, programs }: Simulated, probes: number): Promise<void> {
  await step("the operator is ready", () => until(programs.failure, () => isReady(probes)));
  await step("a MachineConfig is applied as the demo says", async () => {
    const applied = await server.kubectl("apply", "-f", "config/samples/demo_machineconfig.yaml");
    if (applied.code !== 0) throw new Error(applied.stderr);
  });
  await step("all workers reboot into it", (update) =>
    until(programs.failure, async () => {
      const { state, message } = await rollout(server);
      update(message);
      if (state === "failed") throw new Error(message);
      return state === "done";
    }),
  );
}

// The same rule by which the operator judges a rollout: a pool that has not rendered the change yet is not done.
async function rollout(server: Server) {
  const answer = await server.request({ path: "/apis/machineconfiguration.openshift.io/v1/machineconfigpools/worker" });
  const pool = answer.body as KubeObject;
  const source = asList(at(pool, "spec", "configuration", "source"));
  const isRendered = source.some((one) => member(one, "name") === machineConfig);
  return machineConfigPoolHealth(pool, { machineConfig, operation: "Apply", isRendered, startedMsAgo: 0 });
}

async function isReady(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/readyz`)).ok;
  } catch {
    return false; // not listening yet
  }
}

async function until(failure: Promise<string>, check: () => Promise<boolean>): Promise<void> {
  const deadline = AbortSignal.timeout(patienceMs);
  const failed = failure.then((why) => Promise.reject(new Error(why)));
  while (!(await Promise.race([check(), failed]))) {
    if (deadline.aborted) throw new Error(`not so after ${patienceMs / 1000} s`);
    await wait(100); // polls for the state
  }
}
