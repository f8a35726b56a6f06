// What was read for a pass, before anything is made of it.

import type { KubeObject, Ref, VirtPlatformConfig } from "@virt/api";
import type { RenderedOf } from "@virt/engine";
import type { Drift } from "./observed.ts";
import type { AnyFacts, Need, Profile } from "./profile.ts";

export type PassFacts = {
  readonly now: number;
  readonly operator: { readonly version: string; readonly mustPin: boolean };
  readonly config: VirtPlatformConfig;
  /** Undefined: this build does not know the profile. */
  readonly profile: Profile | undefined;
  readonly facts: AnyFacts;
  readonly isServed: (need: Need) => boolean;
  /** A namespace that the plan needs and that is not there, if that was looked for. */
  readonly missingNamespace?: string;
  readonly live: (ref: Ref) => KubeObject | undefined;
  readonly pools: readonly KubeObject[];
  readonly renderedOf: RenderedOf;
};

/** The drifts that a dry run confirmed, by item. */
export type Drifts = ReadonlyMap<string, Drift>;
