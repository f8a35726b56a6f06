import type { Ref } from "@virt/api";

/** Returns the arguments that name an object for kubectl: `kubedescheduler cluster -n <namespace>`. */
export function kubectlArguments({ kind, namespace = "", name }: Omit<Ref, "apiVersion">): string {
  return `${kind.toLowerCase()} ${name}${namespace === "" ? "" : ` -n ${namespace}`}`;
}
