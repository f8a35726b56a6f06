// The restore command for the target of a running plan that another client deleted.

import { profileManager } from "@virt/api";
import { isDnsName } from "./text-templates.ts";

/** The config, which has the name of its profile, and the plan item whose target another client deleted. */
export type DeletedTarget = { readonly config: string; readonly item: string };

/** Returns the command that re-applies the reviewed content, or undefined if a name is unsafe in a shell. */
export function restoreCommand({ config, item }: DeletedTarget): string | undefined {
  if (!isDnsName(config) || !isDnsName(item)) return undefined;
  const path = `{.status.items[?(@.name=="${item}")].desiredState}`;
  return `kubectl get vpconf ${config} -o jsonpath='${path}' | kubectl apply --server-side --field-manager=${profileManager(config)} -f -`;
}
