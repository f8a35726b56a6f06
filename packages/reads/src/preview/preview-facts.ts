// What a preview is made of, and why there may be none.

import type { KubeObject } from "@virt/api";
import type { PlainFacts } from "@virt/platform";

/** Of files, or of one list of a cluster. */
export type PreviewFacts = { readonly hco: KubeObject; readonly facts: PlainFacts };

/** What a person can mend: a file that cannot be read, a cluster without a HyperConverged, a name that is none. */
export class PreviewError extends Error {
  readonly code = "preview";
}
