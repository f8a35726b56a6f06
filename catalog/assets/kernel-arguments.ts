// Renders kernel arguments for a pool, unless the pool has them from elsewhere.

import type { KubeObject } from "@virt/api";
import { argumentInForce } from "@virt/engine";
import { type Nothing, nothing, type PoolFact } from "@virt/platform";
import { machineConfig } from "./machine-config.ts";

type Wanted = {
  readonly name: string;
  readonly role: "worker" | "master";
  readonly kernelArguments: readonly string[];
};

type Seen = { readonly own: KubeObject | undefined; readonly pool: PoolFact | undefined };

/** A second copy of arguments that are in force would reboot the pool for nothing. */
export function renderKernelArguments(
  { name, role, kernelArguments }: Wanted,
  { own, pool }: Seen,
): KubeObject | Nothing {
  const desired = machineConfig(name, role, { kernelArguments });
  if (own !== undefined || pool === undefined) return desired;
  const effective = pool.kernelArguments;
  if (effective === undefined) return nothing(`the kernel arguments of pool ${role} are not known yet`);
  const isInForce = (argument: string) => argumentInForce(effective, argument.split("=", 1)[0] ?? "") === argument;
  return kernelArguments.every(isInForce) ? nothing("AlreadyEffective") : desired;
}
