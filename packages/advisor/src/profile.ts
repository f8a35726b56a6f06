// What a profile is: what it reads, what it needs, and a pure plan. The machinery knows none by name.

import type { Json, JsonMap, Severity } from "@virt/api";
import type { Input, PlannedItem } from "./planned-item.ts";
import type { FactOf, Facts, Read, Reads, Surroundings } from "./reads.ts";

/** A CRD that must be served, in one of these versions. */
export type Need = {
  readonly kind: string;
  readonly group: string;
  readonly versions: readonly string[]; // any of them
  /** `<group>.<version>`, as the message shows it. */
  readonly shown: string;
  readonly remedy: string;
};

type Described = {
  readonly name: string;
  /** The member of `spec.options` that is this profile's; absent: it takes none. */
  readonly optionsKey?: string;
  readonly category: string;
  readonly description: string;
  readonly impactSummary: string;
  /** How much it can disturb, while there is no plan to say it. */
  readonly impact: Severity;
  /** Made as Ignore where it is missing, so that people see what there is. */
  readonly isAdvertised: boolean;
  /** What it is in charge of, whatever the objects are called; shared with the platform's assets. */
  readonly purposes: readonly string[];
};

/** What it writes; the rights of the operator follow. */
export type Target = {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly names: readonly string[];
  /** Where they may lie: `$hco` beside the HyperConverged, `$operator` beside the operator; absent: in no namespace. */
  readonly namespaces?: readonly string[];
  readonly isDeleted?: boolean;
};

export type ProfileOf<Options, R extends Reads> = Described & {
  readonly targets: readonly Target[];
  readonly reads: R;
  readonly needs: (given: Options | undefined) => readonly Need[];
  /** What is wrong with the options or with what they meet here; undefined if nothing. */
  readonly refuse: (given: Options | undefined, facts: Facts<R>) => Refusal | undefined;
  readonly inputs: (given: Options | undefined, facts: Facts<R>) => readonly Input[];
  readonly plan: (given: Options | undefined, facts: Facts<R>) => readonly PlannedItem[];
};

export type Refusal =
  | { readonly kind: "invalid"; readonly message: string }
  | { readonly kind: "missing"; readonly need: Need };

/** A profile whose own types are hidden: facts are found under the names of its reads. */
export type Profile = Described & {
  readonly targets: readonly Target[];
  readonly reads: Reads;
  readonly needs: (given: JsonMap | undefined) => readonly Need[];
  readonly refuse: (given: JsonMap | undefined, facts: AnyFacts) => Refusal | undefined;
  readonly inputs: (given: JsonMap | undefined, facts: AnyFacts) => readonly Input[];
  readonly plan: (given: JsonMap | undefined, facts: AnyFacts) => readonly PlannedItem[];
};

export type AnyFacts = Surroundings & Readonly<Record<string, FactOf<Read> | string>>;

/** The options were checked by the API server, against the schema that is generated from them. */
export function defineProfile<Options extends Readonly<Record<string, Json | undefined | object>>, R extends Reads>(
  profile: ProfileOf<Options, R>,
): Profile {
  return profile as unknown as Profile;
}
