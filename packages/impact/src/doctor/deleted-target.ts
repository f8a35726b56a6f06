// The two ways out after another client deleted the target of a running plan: restore it, or plan again.

import { fieldManagers } from "@virt/api";
import { isDnsName } from "./text-templates.ts";

/** The item of a config whose target was deleted. */
export type DeletedTarget = { readonly config: string; readonly item: string };

/** Applies the reviewed content again, under the advisor's field manager. Undefined if a name is unfit for a shell. */
export function restoreCommand({ config, item }: DeletedTarget): string | undefined {
  if (!isDnsName(config) || !isDnsName(item)) return undefined;
  const path = `{.status.items[?(@.name=="${item}")].desiredState}`;
  return `kubectl get vpconf ${config} -o jsonpath='${path}' | kubectl apply --server-side --field-manager=${fieldManagers.advisor} -f -`;
}
