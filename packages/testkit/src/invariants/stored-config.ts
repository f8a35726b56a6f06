// The stored VirtPlatformConfig and Lease, limited to the fields that invariants read.

import type { Json, JsonMap } from "@virt/objects";

export type StoredConfig = {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly generation: number;
    readonly resourceVersion: string;
  };
  readonly spec: JsonMap & {
    readonly action?: string;
    readonly approvedPlan?: string;
    readonly bypassOptimisticLock?: boolean;
  };
  readonly status?: StoredStatus;
};

export type StoredStatus = {
  readonly phase?: string;
  readonly observedGeneration?: number;
  readonly executedGeneration?: number;
  readonly planHash?: string;
  readonly review?: { readonly planHash?: string; readonly generation?: number; readonly forced?: boolean };
  readonly items?: readonly StoredItem[];
  readonly conditions?: readonly StoredCondition[];
};

export type StoredItem = {
  readonly name: string;
  readonly operation?: string;
  readonly state?: string;
  readonly message?: string;
  readonly diff?: string;
  readonly lastTransitionTime?: string;
  /** False if the plan only waits for the target. */
  readonly changes?: boolean;
  /** Absent until the API server confirms the write. */
  readonly appliedTime?: string;
  /** The item that must finish before this one starts. */
  readonly waitsFor?: string;
  readonly targetRef: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly name: string;
    readonly namespace?: string;
  };
  readonly desiredState?: Json;
  readonly conflicts?: readonly Json[];
  readonly reviewed?: { readonly uid?: string; readonly resourceVersion?: string };
};

export type StoredCondition = {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
};

export type StoredLease = {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly spec?: { readonly holderIdentity?: string; readonly leaseDurationSeconds?: number };
};
