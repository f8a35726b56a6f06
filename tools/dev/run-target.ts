// Chooses the cluster of `make run`: the development cluster, or another one that the user names.

import { devContext } from "./kubeconfig-text.ts";

export type RunChoice = {
  /** The cluster that kubectl would use. Undefined if none is configured. */
  readonly current?: { readonly context?: string; readonly server: string };
  readonly dev?: { readonly kubeconfig: string; readonly server: string };
  readonly kubeconfigs: readonly string[];
  readonly context: string;
  readonly isConfirmed: boolean;
};

export type RunTarget =
  | { readonly kind: "use"; readonly kubeconfigs: readonly string[]; readonly context?: string }
  | { readonly kind: "refused"; readonly message: string };

export function chooseRunTarget({ current, dev, kubeconfigs, context, isConfirmed }: RunChoice): RunTarget {
  const devCluster: RunTarget | undefined = dev && { kind: "use", kubeconfigs: [dev.kubeconfig] };
  if (context === devContext && devCluster) return devCluster;
  if (context !== "") return { kind: "use", kubeconfigs, context };
  if (current === undefined)
    return devCluster ?? { kind: "refused", message: "no cluster found: run make dev-setup first, or set KUBECONFIG" };
  if (isConfirmed || current.server === dev?.server) return { kind: "use", kubeconfigs };
  const { context: name = "", server } = current;
  const message = [
    `kubectl's current context is "${name}" (${server}), which is not the cluster of make dev-setup.`,
    `  To run the operator there: make run CONTEXT=${name}, or make run YES=1`,
    dev === undefined
      ? "  To run it on a simulated cluster: make dev-setup, then make run"
      : `  To run it on the cluster of make dev-setup: make run CONTEXT=${devContext}`,
  ].join("\n");
  return { kind: "refused", message };
}
