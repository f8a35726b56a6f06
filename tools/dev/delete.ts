// `make kind-delete`: ends the cluster that `make dev-setup` left running.

import { setTimeout as wait } from "node:timers/promises";
import { forget, isKeeper, recorded } from "./record.ts";

const cluster = recorded();
if (cluster === undefined) {
  process.stdout.write("there is no cluster of make dev-setup\n");
} else {
  for (const keeper of cluster.keepers.filter(isKeeper)) process.kill(keeper, "SIGTERM");
  while (cluster.keepers.some(isKeeper)) await wait(50); // polls for the state
  forget();
  process.stdout.write("the cluster is gone\n");
}
