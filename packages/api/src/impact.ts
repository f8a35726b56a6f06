// What a plan would do to nodes, VMs and pods, as a status shows it.

/** What happens to a node, the worst first: `Drain` without a reboot, `Reload` of services without a drain. */
export const disruptionClasses = ["Reboot", "Drain", "Reload", "None"] as const;
/** One of them. */
export type DisruptionClass = (typeof disruptionClasses)[number];

/** What a plan does to the nodes of a pool. */
export type PoolDisruption = { readonly pool: string; readonly class: DisruptionClass };

/** What may become of a VM, in the order in which it is shown. */
export const vmOutcomes = ["migrate", "block", "stop", "restart", "external", "starting", "unknown"] as const;
/**
 * One of them: it moves; it holds the drain until a person acts; it ends; it ends and is started again; whoever is in charge of it
 * must move it; it is not up yet, and its eviction waits; nobody knows.
 */
export type VmOutcome = (typeof vmOutcomes)[number];

/** Why nodes of a pool do not start, or may not. */
export const holdups = [
  "Paused",
  "InvalidMaxUnavailable",
  "MaxUnavailableUsed",
  "Degraded",
  "NotReady",
  "Cordoned",
  "KubeletConfigRefused",
] as const;
/** One of them. */
export type Holdup = (typeof holdups)[number];

/** Why a kind is not assessed: not installed, no right, first list under way, errors for a minute, or more than is read. */
export const notAssessedReasons = ["NotServed", "Forbidden", "Listing", "Unavailable", "TooMany"] as const;
/** One of them. */
export type NotAssessedReason = (typeof notAssessedReasons)[number];

/** A VM or a pod of which a person should know. */
export type ImpactEntry = {
  readonly node: string;
  readonly kind: "VirtualMachineInstance" | "Pod";
  readonly namespace: string;
  readonly name: string;
  /** Why it blocks; for what stops the outcome: `stop`, `restart`, `external`, `delete`. */
  readonly reason: string;
};

/** One pool of the impact. Seconds are absent where no duration is known. */
export type ImpactPool = {
  readonly name: string;
  readonly class: DisruptionClass;
  readonly nodes: number;
  readonly held: number;
  readonly atOnce: number;
  readonly waves: number;
  readonly holdup?: Holdup;
  /** The name of the object that causes the holdup, where there is one: the refused KubeletConfig. */
  readonly heldBy?: string;
  readonly order: readonly string[];
  readonly lowSeconds?: number;
  readonly highSeconds?: number;
};

/** What could not be read. */
export type ImpactGap = { readonly what: string; readonly reason: NotAssessedReason; readonly message: string };

/** How long a rollout takes. */
export type ImpactDuration = {
  readonly lowSeconds: number;
  readonly highSeconds: number;
  readonly text: string;
  /** Where the time of a restart is from. */
  readonly restart: "observed" | "default";
  /** Where the time of a migration is from. */
  readonly migration: "history" | "default";
};

/** Whether the VMs of every wave fit elsewhere, and the wave that lacks most. */
export type ImpactCapacity = {
  readonly fits: "Yes" | "No" | "Unknown";
  readonly nodes: readonly string[];
  readonly unplacedVMs: number;
  readonly unplacedMiB: number;
};

/** `status.impact`: what carrying out the plan would do, as far as it could be assessed. */
export type Impact = {
  readonly assessedAt: string;
  readonly summary: string;
  /** How many nodes change by themselves. */
  readonly nodes: number;
  /** How many do not. */
  readonly held: number;
  /** Absent: not assessed. */
  readonly vms?: Readonly<Record<VmOutcome, number>>;
  readonly pods?: { readonly block: number; readonly delete: number };
  readonly duration?: ImpactDuration;
  readonly capacity: ImpactCapacity;
  readonly pools: readonly ImpactPool[];
  readonly blockers: readonly ImpactEntry[];
  readonly stops: readonly ImpactEntry[];
  /** How many more there are than are listed. */
  readonly more: { readonly pools: number; readonly blockers: number; readonly stops: number };
  readonly assumes: readonly string[];
  readonly notAssessed: readonly ImpactGap[];
};

/** `spec.guards`: what an assessment must satisfy before an approved plan starts. Absent: no limit. */
export type Guards = {
  readonly maxBlockingVMs?: number;
  readonly maxNodes?: number;
  readonly requireCapacity?: boolean;
};
