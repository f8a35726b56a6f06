// `make dev-setup`: a simulated cluster that stays when the command has ended.

import { bringUp } from "../demo/steps.ts";
import { isKeeper, record, recorded } from "./record.ts";

const { SCENARIO = "default", SPEED = "60" } = process.env;

const known = recorded();
if (known !== undefined && known.keepers.every(isKeeper)) {
  process.stderr.write("make: the cluster of an earlier make dev-setup is still running; make kind-delete ends it\n");
  tell(known.kubeconfig);
} else {
  try {
    const { server, programs } = await bringUp({
      scenario: SCENARIO,
      speed: SPEED,
      outlivesOwner: true,
      programs: () => [],
    });
    record({ keepers: [programs.keeper, server.keeper], kubeconfig: server.kubeconfig });
    tell(server.kubeconfig);
    process.exit(0); // the sockets to the server would keep this process
  } catch (error) {
    process.stderr.write(`make: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}

function tell(kubeconfig: string): void {
  process.stdout.write(
    `Run the operator against it with: make run\nUse it yourself with:\nexport KUBECONFIG=${kubeconfig}\n`,
  );
}
