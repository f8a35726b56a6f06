// What a profile is: what it reads, what it needs, and a pure plan of items. The machinery knows none by name.

import type { Json, JsonMap, KubeObject, NodeContent, ObjectForm, Ref, Severity } from "@virt/api";
import type { ProfileFactOf, ProfileFacts, ProfileFactsContext, ProfileRead, ProfileReads } from "./reads.ts";
import type { TargetProblem } from "./target-problem.ts";

/** A CRD that must be served, in one of these versions. */
export type CrdRequirement = {
  readonly kind: string;
  readonly group: string;
  readonly versions: readonly string[]; // any of them
  /** `<group>.<version>`, as the message shows it. */
  readonly shown: string;
  readonly remedy: string;
};

/** Where the value of an option is found in a plan, and the source that it comes from. */
type DerivedOption = {
  /** Dotted fields of the desired objects; the first that a plan has counts. */
  readonly fields: readonly string[];
  readonly source: string;
  /** The value of the option if a plan has such a field; absent: the field's own value. */
  readonly present?: Json;
  /** The value of the option if a plan has no such field; absent: the option has none. */
  readonly absent?: Json;
};

type ProfileDescription = {
  readonly name: string;
  /** The member of `spec.options` that is this profile's; absent: it takes none. */
  readonly optionsKey?: string;
  /** Options without a default whose value the plan takes from elsewhere. */
  readonly derivedOptions?: Readonly<Record<string, DerivedOption>>;
  readonly category: string;
  readonly description: string;
  readonly impactSummary: string;
  /** How much it can disturb, as long as there is no plan that tells. */
  readonly impact: Severity;
  /** Made as Ignore where it is missing, so that people see what there is. */
  readonly isAdvertised: boolean;
  /** Served only if the operator runs with `--example-profile`; the default roles grant nothing for it. */
  readonly isExample?: boolean;
  /** What it is in charge of, whatever the objects are called; shared with the platform's assets. */
  readonly purposes: readonly string[];
};

/** What it writes; the rights of the operator follow. */
export type ProfileTarget = {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly names: readonly string[];
  /** Where they may lie: `$hco` beside the HyperConverged, `$operator` beside the operator; absent: in no namespace. */
  readonly namespaces?: readonly string[];
  readonly isDeleted?: boolean;
  /** Only others make it: it is changed where it exists. */
  readonly isNeverCreated?: boolean;
  /** Of each MachineConfig. */
  readonly content?: readonly NodeContent[];
  /** Of every other kind: the content that a plan may write, one form for each version of the API. */
  readonly forms?: readonly ObjectForm[];
};

export type ProfileOf<Options, R extends ProfileReads> = ProfileDescription & {
  readonly targets: readonly ProfileTarget[];
  readonly reads: R;
  readonly needs: (options: Options | undefined) => readonly CrdRequirement[];
  /** What is wrong with the options or with what they meet here; undefined if nothing. */
  readonly refuse: (options: Options | undefined, facts: ProfileFacts<R>) => OptionsRefusal | undefined;
  readonly inputs: (options: Options | undefined, facts: ProfileFacts<R>) => readonly PlanInput[];
  readonly plan: (options: Options | undefined, facts: ProfileFacts<R>) => readonly PlannedItem[];
} & DryRunWarnings;

type DryRunWarnings = {
  /** Warnings that depend on what the API server makes of an item: who owns what afterwards, what goes and what stays. */
  readonly dryRunWarnings?: (item: PlannedItem, result: DryRunResult) => readonly string[];
};

/** Why a profile cannot plan with these options here. */
export type OptionsRefusal =
  | { readonly kind: "invalid"; readonly message: string }
  | { readonly kind: "missing"; readonly need: CrdRequirement }
  /** An object that only others may make: what is missing, and what a person does about it. */
  | { readonly kind: "absent"; readonly message: string; readonly next: string }
  /** The cluster is not one for which this can be planned, and what a person does about it. */
  | { readonly kind: "unfit"; readonly message: string; readonly next: string };

/** A profile whose own types are hidden: facts are found under the names of its reads. */
export type Profile = ProfileDescription & {
  readonly targets: readonly ProfileTarget[];
  readonly reads: ProfileReads;
  readonly needs: (options: JsonMap | undefined) => readonly CrdRequirement[];
  readonly refuse: (options: JsonMap | undefined, facts: AnyProfileFacts) => OptionsRefusal | undefined;
  readonly inputs: (options: JsonMap | undefined, facts: AnyProfileFacts) => readonly PlanInput[];
  readonly plan: (options: JsonMap | undefined, facts: AnyProfileFacts) => readonly PlannedItem[];
} & DryRunWarnings;

/** The facts of a profile under the names of its reads. */
export type AnyProfileFacts = ProfileFactsContext & Readonly<Record<string, ProfileFactOf<ProfileRead> | string>>;

/** Options as users give them, from `z.input` of their schema: a member has a value or is not there, so that defaults can be spread under it. */
export type OptionsInput<T> = T extends readonly (infer One)[]
  ? readonly OptionsInput<One>[]
  : T extends object
    ? { readonly [Key in keyof T]: OptionsInput<Exclude<T[Key], undefined>> }
    : T;

/**
 * Declares a profile with the types of its options and facts, and hides them from the machinery. The options were checked by the API
 * server, against the schema that is generated from them.
 */
export function defineProfile<
  Options extends Readonly<Record<string, Json | undefined | object>>,
  R extends ProfileReads,
>(profile: ProfileOf<Options, R>): Profile {
  return profile as unknown as Profile;
}

/** One object that a plan applies or deletes, as the profile renders it. */
export type PlannedItem = {
  readonly name: string;
  /** What it will do, for people. */
  readonly message: string;
  readonly target: Ref;
  /** Dotted, in the order in which they are shown; of a removal those that its counterpart would manage. */
  readonly managedFields: readonly string[];
  readonly warnings: readonly string[];
  /**
   * The item that must be completed before this one is begun. Where that is the apply of a MachineConfig and this one is not,
   * every node that may run VMs must have it in force.
   */
  readonly waitsFor?: string;
} & (
  | {
      readonly operation: "Apply";
      readonly desired: KubeObject;
      /** How much it disturbs when it makes the object, and when it changes it. */
      readonly impact: { readonly create: Severity; readonly change: Severity };
      /** The message where the object is as desired; absent: that it is already in place. */
      readonly messageInPlace?: string;
      /** It is in force without us: shown, never applied. The message names by what. */
      readonly isSkipped?: boolean;
      /** Returns the problem that the target's operator reports. Until it is gone the item is not completed. */
      readonly problemOf?: (live: KubeObject) => TargetProblem | undefined;
      /** Says what a finished rollout came to on those nodes of its pools that may run VMs. */
      readonly reportOn?: (vmNodes: readonly KubeObject[], pools: readonly KubeObject[]) => string;
    }
  /** Stored in a plan only where the object exists and is ours, which the framework checks. */
  | { readonly operation: "Delete"; readonly impact: Severity }
);

/** The target as it is, and as an apply of the item would leave it, owners included. */
export type DryRunResult = { readonly live: KubeObject | undefined; readonly predicted: KubeObject };

/** Something outside that the plan depends on. */
export type PlanInput = {
  readonly name: string;
  /** Undefined: cannot be read now, which is no change. */
  readonly now: string | undefined;
  /** What it will be once the plan is done, for an input that the plan itself writes. */
  readonly planned?: string;
  /** The target that it is read from, if a watch may show it by an earlier schema. It is read again before a change counts. */
  readonly target?: Ref;
  /** The sentence that names the old and the new value. */
  readonly describe: (was: string, now: string) => string;
  /** The same, as it is quoted where a plan waits: `HyperConverged parallelMigrationsPerCluster changed 5 → 10`. */
  readonly summarize: (was: string, now: string) => string;
};
