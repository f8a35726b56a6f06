// Builds the command that restores a plan target that another client deleted.

import { fieldManagers } from "@virt/api";
import { isDnsName } from "./text-templates.ts";

/** The config and the plan item whose target another client deleted. */
export type DeletedTarget = { readonly config: string; readonly item: string };

/** Returns the command that re-applies the reviewed content, or undefined if a name is unsafe in a shell. */
export function restoreCommand({ config, item }: DeletedTarget): string | undefined {
  if (!isDnsName(config) || !isDnsName(item)) return undefined;
  const path = `{.status.items[?(@.name=="${item}")].desiredState}`;
  return `kubectl get vpconf ${config} -o jsonpath='${path}' | kubectl apply --server-side --field-manager=${fieldManagers.advisor} -f -`;
}
