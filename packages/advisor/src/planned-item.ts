// What a profile wants of one object, before anybody compared it with the cluster.

import type { KubeObject, Ref, Severity } from "@virt/api";

export type PlannedItem = {
  readonly name: string;
  /** What it will do, for people. */
  readonly message: string;
  readonly target: Ref;
  /** Dotted, in the order in which they are shown; of a removal those that its counterpart would manage. */
  readonly managedFields: readonly string[];
  readonly warnings: readonly string[];
  /** The item that must be completed before this one is begun. */
  readonly waitsFor?: string;
} & (
  | {
      readonly operation: "Apply";
      readonly desired: KubeObject;
      /** How much it disturbs when it makes the object, and when it changes it. */
      readonly impact: { readonly create: Severity; readonly change: Severity };
      /** It is in force without us: shown, never applied. The message says by what. */
      readonly isSkipped?: boolean;
    }
  /** Planned only where the object exists and is ours; the framework looks. */
  | { readonly operation: "Delete"; readonly impact: Severity }
);

/** Something outside that the plan depends on. */
export type Input = {
  readonly name: string;
  /** Undefined: cannot be read now, which is no change. */
  readonly now: string | undefined;
  /** What it will be once the plan is done, for an input that the plan itself writes. */
  readonly planned?: string;
  /** The sentence that says from what to what it moved. */
  readonly describe: (was: string, now: string) => string;
};
