import type { KubeObject } from "@virt/api";
import type { PlainFacts } from "@virt/platform";

export type PreviewFacts = { readonly hco: KubeObject; readonly facts: PlainFacts };

/** An error that the user can fix: an unreadable file, a missing HyperConverged or an unknown name. */
export class PreviewError extends Error {
  readonly code = "preview";
}
