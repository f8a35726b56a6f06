// Measures the idle operator: time until ready, memory, and requests.

import { freePorts } from "@virt/testkit";
import { spawnNode } from "../child.ts";
import { createNamespace } from "../config-maps.ts";
import { cpuMsOf, memoryOf } from "../process-figures.ts";
import { operatorProgram } from "../programs.ts";
import { countByVerb, isUpkeep, requestsIn } from "../requests-from-audit.ts";
import { type Measured, ourAccount, type Rig, type Scenario } from "../scenario.ts";
import { pause, until } from "../wait.ts";

/** The operator retries discovery of missing kinds for about 13 seconds after the start. */
const settleMs = 15_000;
const quietMs = { quick: 10_000, usual: 30_000, full: 60_000 };

async function measure(rig: Rig): Promise<Measured> {
  const { api, say, size } = rig;
  const from = new Date();
  say("starting the operator");
  await using operator = await startOperator(rig);
  say("letting it settle");
  await pause(settleMs);
  const { rssMb, peakMb, privateMb } = memoryOf(operator.pid);
  const quietFrom = new Date();
  const cpuBefore = cpuMsOf(operator.pid);
  say(`leaving it alone for ${quietMs[size] / 1000} s`);
  await pause(quietMs[size]);
  const quiet = { account: ourAccount, from: quietFrom, until: new Date() };
  const minutes = quietMs[size] / 60_000;
  const cpuMs = (cpuMsOf(operator.pid) - cpuBefore) / minutes;
  await operator.stop(); // releases its leases, so that the next process does not have to wait
  const audit = api.audit();
  const asked = requestsIn(audit, quiet);
  const work = asked.filter((event) => !isUpkeep(event)).length;
  return {
    samples: {
      "start to ready": [operator.readyMs],
      "idle RSS": [rssMb],
      "of it private": [privateMb],
      "peak RSS": [peakMb],
      "requests beside upkeep": [work],
      "upkeep requests a minute": [(asked.length - work) / minutes],
      "CPU a minute": [cpuMs],
    },
    requests: countByVerb(requestsIn(audit, { account: ourAccount, from, until: new Date() })),
  };
}

/** Starts the bundled operator with the same Node flags as in the image, and with leader election. */
async function startOperator({ api, ours }: Rig) {
  const [port = 0] = await freePorts(1);
  const flags = [`--kubeconfig=${ours.kubeconfig}`, `--health-probe-bind-address=127.0.0.1:${port}`, "--leader-elect"];
  const start = performance.now();
  const spawned = spawnNode(operatorProgram, flags, { HOME: api.folder });
  spawned.process.stdout?.resume();
  spawned.process.stderr?.resume();
  await until("the operator is ready", 60_000, () => isReady(port));
  return { ...spawned, readyMs: performance.now() - start, [Symbol.asyncDispose]: spawned.end };
}

async function isReady(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/readyz`)).status === 200;
  } catch {
    return false;
  }
}

export const operatorIdle: Scenario = {
  name: "operator-idle",
  says: "the shipped operator starts with both leases, and then nothing happens",
  isQuick: true,
  perRound: 2,
  figures: [
    {
      name: "start to ready",
      unit: "ms",
      goal: { is: "at most", value: 1_000, isExact: false },
      peer: "go-autopilot-start",
    },
    { name: "idle RSS", unit: "MB", goal: { is: "at most", value: 70, isExact: true }, peer: "go-autopilot-memory" },
    { name: "of it private", unit: "MB" },
    { name: "peak RSS", unit: "MB", peer: "go-advisor-memory" },
    { name: "requests beside upkeep", unit: "count", goal: { is: "at most", value: 0, isExact: true } },
    { name: "upkeep requests a minute", unit: "count" },
    { name: "CPU a minute", unit: "ms", peer: "go-autopilot-idle" },
  ],
  prepare: async ({ api }) => {
    for (const name of ["virt-advisor-operator-system", "virt-platform-operator-system"])
      await createNamespace(api, name);
  },
  measure,
};
