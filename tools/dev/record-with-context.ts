// Records a new development cluster and points the user's kubectl at it, unless --no-context is given.

import { devContext } from "./kubeconfig-text.ts";
import { type DevCluster, record } from "./record.ts";
import { enterContext } from "./user-context.ts";

export function recordWithContext(cluster: DevCluster): readonly string[] {
  const { kubeconfig, binaries } = cluster;
  record(cluster); // first, so that `make kind-delete` finds the cluster even after a failure
  const path = binaries === "" ? "" : `PATH=${binaries}:$PATH`;
  if (process.argv.includes("--no-context"))
    return [
      "kubectl's context is unchanged. To use the cluster in a terminal:",
      `export KUBECONFIG=${kubeconfig} ${path}`.trimEnd(),
    ];
  const { context, previous } = enter(cluster);
  record({ ...cluster, context });
  const before = previous === "" ? "There was no current context before." : `It was "${previous}" before.`;
  return [
    `kubectl's current context is now "${devContext}", in ${context.file}. ${before}`,
    "make kind-delete switches back.",
    ...(path === "" ? [] : ["If kubectl is not installed, use the one from the build:", `export ${path}`]),
  ];
}

function enter({ kubeconfig }: DevCluster): ReturnType<typeof enterContext> {
  try {
    return enterContext(kubeconfig, process.env);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(
      [
        `${why}.`,
        "  The cluster is running, but kubectl does not use it: the next kubectl command uses your own current context.",
        `  To use the cluster in this terminal: export KUBECONFIG=${kubeconfig}`,
      ].join("\n"),
      { cause: error },
    );
  }
}
