// `make run`: the operator's sources, against KUBECONFIG or the cluster of `make dev-setup`.

import { spawnSync } from "node:child_process";
import { recorded } from "./record.ts";

const kubeconfig = process.env["KUBECONFIG"] || recorded()?.kubeconfig;
if (kubeconfig === undefined) {
  process.stderr.write("make: there is no cluster: run make dev-setup first, or set KUBECONFIG\n");
  process.exit(1);
}
const flags = (process.env["FLAGS"] ?? "").split(" ").filter((word) => word !== "");
const { status } = spawnSync(process.execPath, ["apps/operator/src/main.ts", ...flags], {
  stdio: "inherit",
  env: { ...process.env, KUBECONFIG: kubeconfig },
});
process.exit(status ?? 1);
