// The value of our activation key after an adoption.

import type { Activation } from "../activation.ts";

export type AdoptedAssets = {
  /** The activation before the adoption. */
  readonly activation: Activation;
  /** Assets that our controller already applies. */
  readonly inForce: readonly string[];
  readonly adopted: readonly string[];
  /** Assets without a counterpart that reboot no node. */
  readonly added: readonly string[];
  /** Assets without a counterpart that would reboot nodes. The key must not enable them. */
  readonly later: readonly string[];
};

/** Extends a list of the user, keeps `true` if it adds no reboot, and otherwise lists the assets. */
export function adoptionKey({ activation, inForce, adopted, added, later }: AdoptedAssets): string {
  if (activation.isActive && activation.listed !== undefined)
    return [...new Set([...activation.listed, ...adopted])].join(",");
  if (activation.isActive && later.length === 0) return "true";
  return [...new Set([...inForce, ...adopted, ...added])].join(",");
}
