// What the options of load-aware rebalancing come to, defaults included.

import { defaults } from "./defaults.ts";
import type { Options } from "./options.ts";

/** The limits have no default: without one they follow the HyperConverged. */
export type Wanted = Options & Required<Pick<Options, keyof typeof defaults>>;

export function wantedOf(given: Options | undefined): Wanted {
  return { ...defaults, ...given };
}
