// `status.impact`: the predicted effect of a plan on nodes, VMs and pods.

/** Disruption classes, from worst to mildest. `Drain` does not include a reboot. `Reload` restarts services without a drain. */
export const disruptionClasses = ["Reboot", "Drain", "Reload", "None"] as const;
/** The effect of a configuration change on a node. */
export type DisruptionClass = (typeof disruptionClasses)[number];

/** The worst disruption of any node in the pool. */
export type PoolDisruption = { readonly pool: string; readonly class: DisruptionClass };

/** The possible effects of a drain on a VM, in display order. */
export const vmOutcomes = ["migrate", "block", "stop", "restart", "external", "starting", "unknown"] as const;
/**
 * The effect of a drain on a VM. `external`: another controller must move the VM. `starting`: the VM is still starting,
 * so it cannot be evicted yet.
 */
export type VmOutcome = (typeof vmOutcomes)[number];

/** Reasons why nodes in a pool do not start to update. */
export const holdups = [
  "Paused",
  "InvalidMaxUnavailable",
  "MaxUnavailableUsed",
  "Degraded",
  "NotReady",
  "Cordoned",
  "KubeletConfigRefused",
] as const;
/** A reason why nodes in a pool do not start to update. */
export type Holdup = (typeof holdups)[number];

/**
 * Reasons for missing inputs. `Listing`: the first list is in progress. `Unavailable`: reads have failed for a minute.
 * `TooMany`: there are more objects than the limit.
 */
export const notAssessedReasons = ["NotServed", "Forbidden", "Listing", "Unavailable", "TooMany"] as const;
/** Why an input of the assessment could not be read. */
export type NotAssessedReason = (typeof notAssessedReasons)[number];

/** A VM or pod that blocks a drain, or that the drain stops. */
export type ImpactEntry = {
  readonly node: string;
  readonly kind: "VirtualMachineInstance" | "Pod";
  readonly namespace: string;
  readonly name: string;
  /** Why the VM or pod is blocking the drain. For those that stop, the outcome: `stop`, `restart`, `external` or `delete`. */
  readonly reason: string;
};

/** The impact on one pool. `nodes` update automatically, `held` nodes do not. Unknown durations are absent. */
export type ImpactPool = {
  readonly name: string;
  readonly class: DisruptionClass;
  readonly nodes: number;
  readonly held: number;
  readonly atOnce: number;
  readonly waves: number;
  readonly holdup?: Holdup;
  /** The name of the rejected KubeletConfig, if this is the cause. */
  readonly heldBy?: string;
  readonly order: readonly string[];
  readonly lowSeconds?: number;
  readonly highSeconds?: number;
};

/** An input that could not be read. The impact without it is a lower bound. */
export type ImpactGap = { readonly what: string; readonly reason: NotAssessedReason; readonly message: string };

/** The estimated duration, not counting the time for which VMs and pods block drains. */
export type ImpactDuration = {
  readonly lowSeconds: number;
  readonly highSeconds: number;
  readonly text: string;
  readonly restart: "observed" | "default";
  readonly migration: "history" | "default";
};

/** Shows if the VMs fit on other nodes. The numbers are for the wave of nodes with the largest shortage. */
export type ImpactCapacity = {
  readonly fits: "Yes" | "No" | "Unknown";
  readonly nodes: readonly string[];
  readonly unplacedVMs: number;
  readonly unplacedMiB: number;
};

/** The predicted effect of the plan, as far as it could be assessed. */
export type Impact = {
  readonly assessedAt: string;
  readonly summary: string;
  readonly nodes: number;
  readonly held: number;
  /** Absent if the VMs or pods were not assessed. */
  readonly vms?: Readonly<Record<VmOutcome, number>>;
  readonly pods?: { readonly block: number; readonly delete: number };
  readonly duration?: ImpactDuration;
  readonly capacity: ImpactCapacity;
  readonly pools: readonly ImpactPool[];
  readonly blockers: readonly ImpactEntry[];
  readonly stops: readonly ImpactEntry[];
  readonly more: { readonly pools: number; readonly blockers: number; readonly stops: number };
  readonly assumes: readonly string[];
  readonly notAssessed: readonly ImpactGap[];
};

/** `spec.guards`: limits on a plan's impact. An approved plan starts only if its impact is within them. Absent means no limit. */
export type Guards = {
  readonly maxBlockingVMs?: number;
  readonly maxNodes?: number;
  readonly requireCapacity?: boolean;
};
