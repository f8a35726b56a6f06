// `make dev-setup`: starts a simulated cluster that keeps running.

import { bringUp } from "../demo/steps.ts";
import { type DevCluster, isKeeper, recorded } from "./record.ts";
import { recordWithContext } from "./record-with-context.ts";

const { SCENARIO = "default", SPEED = "60" } = process.env;

const known = recorded();
const isRunning = known !== undefined && known.keepers.every(isKeeper);
try {
  if (isRunning)
    process.stderr.write(
      "make: the cluster of an earlier make dev-setup is still running. To delete it, run make kind-delete\n",
    );
  reach(isRunning ? known : await startCluster());
  process.exit(0); // open sockets would keep this process alive
} catch (error) {
  process.stderr.write(`make: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

async function startCluster(): Promise<DevCluster> {
  const { server, programs } = await bringUp({
    scenario: SCENARIO,
    speed: SPEED,
    outlivesOwner: true,
    programs: () => [],
  });
  const { keeper, kubeconfig, binaries } = server;
  return { keepers: [programs.keeper, keeper], kubeconfig, binaries };
}

function reach(cluster: DevCluster): void {
  const lines = [
    ...recordWithContext(cluster),
    "To run the operator against it: make run",
    "To use it in another terminal:",
    "kubectl apply -k config/samples/",
    "kubectl get vpconf",
    "To delete it: make kind-delete",
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
}
