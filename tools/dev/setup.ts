// `make dev-setup`: a simulated cluster that stays when the command has ended.

import { bringUp } from "../demo/steps.ts";
import { type DevCluster, isKeeper, record, recorded } from "./record.ts";

const { SCENARIO = "default", SPEED = "60" } = process.env;

const known = recorded();
if (known !== undefined && known.keepers.every(isKeeper)) {
  process.stderr.write("make: the cluster of an earlier make dev-setup is still running; make kind-delete ends it\n");
  printNextSteps(known);
} else {
  try {
    const { server, programs } = await bringUp({
      scenario: SCENARIO,
      speed: SPEED,
      outlivesOwner: true,
      programs: () => [],
    });
    const { keeper, kubeconfig, binaries } = server;
    const cluster: DevCluster = { keepers: [programs.keeper, keeper], kubeconfig, binaries };
    record(cluster);
    printNextSteps(cluster);
    process.exit(0); // the sockets to the server would keep this process
  } catch (error) {
    process.stderr.write(`make: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}

function printNextSteps({ kubeconfig, binaries }: DevCluster): void {
  const lines = [
    "Run the operator against it with: make run",
    "Use it yourself, in another terminal:",
    `export KUBECONFIG=${kubeconfig} PATH=${binaries}:$PATH`,
    "kubectl apply -k config/samples/",
    "kubectl get vpconf",
    "End it with: make kind-delete",
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
}
