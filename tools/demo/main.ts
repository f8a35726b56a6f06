// `make demo`: a cluster to play with, without a cluster. Ctrl-C ends it and leaves nothing behind.

import { cpSync, mkdirSync, rmSync } from "node:fs";
import type { VirtPlatformConfig } from "@virt/api";
import { freePorts } from "@virt/testkit";
import { follow, suggest } from "./follow.ts";
import { rehearse } from "./rehearsal.ts";
import { bringUp, node, type Simulated } from "./steps.ts";
import { look, missingAtFirst, nextTries } from "./tries.ts";

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
    without: [missingAtFirst], // the guide begins without the descheduler
    outlivesOwner: false,
    programs: (kubeconfig) => [operator(kubeconfig)],
  });
  try {
    mkdirSync(place, { recursive: true });
    cpSync(cluster.server.kubeconfig, `${place}/kubeconfig`);
    if (CHECK !== "") return await rehearse(cluster, probes);
    explain(cluster);
    const following = follow(cluster.server.kubeconfig, say);
    await Promise.race([interrupted(), cluster.programs.failure.then((why) => Promise.reject(new Error(why)))]);
    await following.stop();
  } finally {
    await cluster.programs.end();
    await cluster.server.stop();
    rmSync(place, { recursive: true, force: true });
  }
}

function say(line = ""): void {
  process.stdout.write(`${line}\n`);
}

function explain({ logs, server }: Simulated): void {
  say(`\nReady: kube-apiserver at ${server.url}, scenario ${SCENARIO}, time runs ${SPEED} times as fast.`);
  say(`Logs:  ${logs}/operator.log, ${logs}/simulator.log`);
  say(`What happens is told below. Ctrl-C ends it all. In another terminal:`);
  say(`        export KUBECONFIG=$PWD/${place}/kubeconfig PATH=${server.binaries}:$PATH`);
  const first = { metadata: { name: "load-aware-rebalancing" }, status: { phase: "Ignored" } } as VirtPlatformConfig;
  suggest([look, ...nextTries(first)], say);
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
