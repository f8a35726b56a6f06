// `make kind-setup`: creates a Kind cluster with our CRD, mock CRDs and a mock HyperConverged. Without Kind, simulates
// one.

import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { mockFiles } from "../demo/mocks.ts";
import { place } from "../dev/record.ts";
import { recordWithContext } from "../dev/record-with-context.ts";
import { findEngine, findProblem } from "./engine.ts";
import { run } from "./image.ts";
import { install } from "./install.ts";
import { type Cluster, openCluster } from "./kubectl.ts";

const name = "virt-operators";
/** Our manifests do not create these namespaces, because real clusters already have them. */
const namespaces = ["openshift-cnv", "openshift-kube-descheduler-operator"];

export function setUpKind(): void {
  const engine = findEngine(process.env["CONTAINER_TOOL"]);
  const problem = findProblem("kind", "version");
  if (engine.kind === "none" || problem !== undefined) {
    const why = problem === undefined && engine.kind === "none" ? engine.why : `kind: ${problem}`;
    process.stderr.write(
      `make: cannot create a Kind cluster (${why}). Creating a simulated cluster instead, as with make dev-setup\n`,
    );
    run(process.execPath, ["tools/dev/setup.ts", ...process.argv.slice(3)]);
    return;
  }
  mkdirSync(place, { recursive: true });
  const kubeconfig = resolve(place, "kind.kubeconfig");
  run("kind", ["create", "cluster", "--name", name, "--kubeconfig", kubeconfig], withProvider(engine.command));
  const lines = recordWithContext({ keepers: [], kubeconfig, binaries: "", kind: { name, engine: engine.command } });
  furnish(openCluster({ kubeconfig }));
  process.stdout.write(`${[...lines, "Next: make deploy-local"].join("\n")}\n`);
}

export function withProvider(engine: string): NodeJS.ProcessEnv {
  return { ...process.env, KIND_EXPERIMENTAL_PROVIDER: engine };
}

function furnish(cluster: Cluster): void {
  install(cluster);
  for (const file of mockFiles()) cluster.show(["apply", "--filename", file]);
  for (const one of namespaces) cluster.show(["create", "namespace", one]);
  cluster.show(["wait", "--for=condition=Established", "crd", "--all"]);
  cluster.show(["apply", "--filename", "config/samples/mock_baseline_resources.yaml"]);
}
