// `make demo`: a cluster to play with, without a cluster. Ctrl-C ends it and leaves nothing behind.

import { cpSync, mkdirSync, rmSync } from "node:fs";
import { freePorts } from "@virt/testkit";
import { rehearse } from "./rehearsal.ts";
import { bringUp, node, type Simulated } from "./steps.ts";

const { CHECK = "", SCENARIO = "default", SPEED = CHECK === "" ? "60" : "2000" } = process.env;
const place = ".demo";

async function demo(): Promise<void> {
  const [probes = 0] = await freePorts(1);
  const operator = (kubeconfig: string) =>
    node(
      "operator",
      "dist/virt-operator.mjs",
      `--kubeconfig=${kubeconfig}`,
      `--health-probe-bind-address=127.0.0.1:${probes}`,
      "--log-format=pretty",
    );
  const cluster = await bringUp({
    scenario: SCENARIO,
    speed: SPEED,
    outlivesOwner: false,
    programs: (kubeconfig) => [operator(kubeconfig)],
  });
  try {
    mkdirSync(place, { recursive: true });
    cpSync(cluster.server.kubeconfig, `${place}/kubeconfig`);
    if (CHECK !== "") return await rehearse(cluster, probes);
    explain(cluster);
    await Promise.race([interrupted(), cluster.programs.failure.then((why) => Promise.reject(new Error(why)))]);
  } finally {
    await cluster.programs.end();
    await cluster.server.stop();
    rmSync(place, { recursive: true, force: true });
  }
}

function explain({ logs, server }: Simulated): void {
  const say = (line = "") => process.stdout.write(`${line}\n`);
  say(
    `\nReady: kube-apiserver at ${server.url}, scenario ${SCENARIO}, time runs ${SPEED} times as fast. Ctrl-C ends it.`,
  );
  say(`Logs:  ${logs}/operator.log, ${logs}/simulator.log`);
  say(`Next, in another terminal:`);
  say(`  export KUBECONFIG=$PWD/${place}/kubeconfig PATH=${server.binaries}:$PATH`);
  say(`  kubectl get machineconfigpools,nodes`);
  say(`  kubectl apply -f config/samples/demo_machineconfig.yaml     # the workers reboot, one after the other`);
  say(`  kubectl get machineconfigpool worker --watch`);
}

function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}

try {
  await demo();
} catch (error) {
  process.stderr.write(`make: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
