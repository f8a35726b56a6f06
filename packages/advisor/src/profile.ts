// The interface of a profile. The framework knows no profile by name.

import type { Json, JsonMap, KubeObject, NodeContent, ObjectForm, Ref, Severity } from "@virt/api";
import type { ProfileFactOf, ProfileFacts, ProfileFactsContext, ProfileRead, ProfileReads } from "./reads.ts";
import type { TargetProblem } from "./target-problem.ts";

/** A CRD that must be served in one of these versions. */
export type CrdRequirement = {
  readonly kind: string;
  readonly group: string;
  readonly versions: readonly string[];
  /** The `<group>.<version>` to show in messages. */
  readonly shown: string;
  readonly remedy: string;
};

type DerivedOption = {
  /** Field paths in the desired objects. The first path that exists in the plan is used. */
  readonly fields: readonly string[];
  readonly source: string;
  /** The option's value if the plan contains such a field. Default: the field's value. */
  readonly present?: Json;
  /** The option's value if the plan does not contain such a field. Default: none. */
  readonly absent?: Json;
};

type ProfileDescription = {
  readonly name: string;
  /** The field of `spec.options` for this profile. Absent if the profile has no options. */
  readonly optionsKey?: string;
  /** Options whose default is not fixed, but derived when the plan is drafted. */
  readonly derivedOptions?: Readonly<Record<string, DerivedOption>>;
  readonly category: string;
  readonly description: string;
  readonly impactSummary: string;
  /** The page in `docs`, without `.md`. Advertised configs link to it. */
  readonly documentation: string;
  /** The severity to show while there is no plan. */
  readonly impact: Severity;
  /** If true, the advisor creates a missing config with action Ignore, so that users discover the profile. */
  readonly isAdvertised: boolean;
  /** Requires `--example-profile`. The default roles grant no permissions for it. */
  readonly isExample?: boolean;
  /** Purposes that the profile serves. An asset of the platform controller with the same purpose yields to the profile. */
  readonly purposes: readonly string[];
};

/** The objects that the profile writes. The permissions of the operator are generated from them. */
export type ProfileTarget = {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly names: readonly string[];
  /**
   * The namespaces. `$hco` is the HyperConverged's namespace, `$operator` that of the operator. Absent for
   * cluster-scoped objects.
   */
  readonly namespaces?: readonly string[];
  /** Only for kinds in `deletableKinds`. */
  readonly isDeleted?: boolean;
  /** True if the profile only changes existing objects. */
  readonly isNeverCreated?: boolean;
  /** The allowed content of MachineConfigs. */
  readonly content?: readonly NodeContent[];
  /** The allowed content of other kinds, with one form per API version. */
  readonly forms?: readonly ObjectForm[];
};

export type ProfileOf<Options, R extends ProfileReads> = ProfileDescription & {
  readonly targets: readonly ProfileTarget[];
  readonly reads: R;
  readonly needs: (options: Options | undefined) => readonly CrdRequirement[];
  readonly refuse: (options: Options | undefined, facts: ProfileFacts<R>) => OptionsRefusal | undefined;
  readonly inputs: (options: Options | undefined, facts: ProfileFacts<R>) => readonly PlanInput[];
  readonly plan: (options: Options | undefined, facts: ProfileFacts<R>) => readonly PlannedItem[];
} & DryRunWarnings;

type DryRunWarnings = {
  /** Warnings that depend on a dry run, such as changes of field owners. */
  readonly dryRunWarnings?: (item: PlannedItem, result: DryRunResult) => readonly string[];
};

/** Why a profile cannot plan with these options on this cluster. */
export type OptionsRefusal =
  | { readonly kind: "invalid"; readonly message: string }
  | { readonly kind: "missing"; readonly need: CrdRequirement }
  /** A missing object that the profile must not create. */
  | { readonly kind: "absent"; readonly message: string; readonly next: string }
  | { readonly kind: "unfit"; readonly message: string; readonly next: string };

/** A profile, without the types of its options and facts. Its facts are named after its reads. */
export type Profile = ProfileDescription & {
  readonly targets: readonly ProfileTarget[];
  readonly reads: ProfileReads;
  readonly needs: (options: JsonMap | undefined) => readonly CrdRequirement[];
  readonly refuse: (options: JsonMap | undefined, facts: AnyProfileFacts) => OptionsRefusal | undefined;
  readonly inputs: (options: JsonMap | undefined, facts: AnyProfileFacts) => readonly PlanInput[];
  readonly plan: (options: JsonMap | undefined, facts: AnyProfileFacts) => readonly PlannedItem[];
} & DryRunWarnings;

/** The facts of any profile, for code that does not know which one. Profiles use `ProfileFacts`. */
export type AnyProfileFacts = ProfileFactsContext & Readonly<Record<string, ProfileFactOf<ProfileRead> | string>>;

/** The input type of an options schema. Fields are set or absent, but never undefined, so that defaults can be spread. */
export type OptionsInput<T> = T extends readonly (infer One)[]
  ? readonly OptionsInput<One>[]
  : T extends object
    ? { readonly [Key in keyof T]: OptionsInput<Exclude<T[Key], undefined>> }
    : T;

/** Declares a profile, and erases the types of its options and facts. The API server validates the options. */
export function defineProfile<
  Options extends Readonly<Record<string, Json | undefined | object>>,
  R extends ProfileReads,
>(profile: ProfileOf<Options, R>): Profile {
  return profile as unknown as Profile;
}

/** A write that a profile plans: an apply, or the deletion of an object that was applied earlier. */
export type PlannedItem = {
  readonly name: string;
  readonly message: string;
  readonly target: Ref;
  /** The managed field paths, in display order. For a deletion, the fields that the corresponding apply manages. */
  readonly managedFields: readonly string[];
  readonly warnings: readonly string[];
  /** The item that must be Completed first. An item that depends on a MachineConfig also waits for all nodes that run VMs. */
  readonly waitsFor?: string;
} & (
  | {
      readonly operation: "Apply";
      readonly desired: KubeObject;
      readonly impact: { readonly create: Severity; readonly change: Severity };
      /** Replaces `impact.change` if the severity depends on the dry run. */
      readonly changeImpact?: (result: DryRunResult) => Severity;
      /** The message if the object already has the desired content. */
      readonly messageInPlace?: string;
      /** True if other settings make the item unnecessary. The plan then shows it with a reason, but does not apply it. */
      readonly isSkipped?: boolean;
      /** True if the item only gives up fields of earlier plans. It is a change if the advisor still owns such fields. */
      readonly isRelease?: boolean;
      /** Returns the problem that the target's operator reports. The item is not complete while it lasts. */
      readonly problemOf?: (live: KubeObject) => TargetProblem | undefined;
      readonly reportOn?: (vmNodes: readonly KubeObject[], pools: readonly KubeObject[]) => string;
    }
  /** A deletion. The framework omits it unless the object exists and the advisor created it. */
  | { readonly operation: "Delete"; readonly impact: Severity }
);

/** The target before and after a dry run, including its field owners. */
export type DryRunResult = { readonly live: KubeObject | undefined; readonly predicted: KubeObject };

/** A value that the plan depends on but that is not part of the plan. */
export type PlanInput = {
  readonly name: string;
  /** The current value. Undefined if it cannot be read, which does not count as a change. */
  readonly now: string | undefined;
  /** The value after the plan, if the plan writes this input. */
  readonly planned?: string;
  /** Set if a watch may return the source object in an earlier schema. A change must then be confirmed by another read. */
  readonly target?: Ref;
  readonly describe: (was: string, now: string) => string;
  /** Returns the short form: `HyperConverged parallelMigrationsPerCluster changed 5 → 10`. */
  readonly summarize: (was: string, now: string) => string;
};
