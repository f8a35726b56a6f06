// The state that the advisor's reconciles share: settings, caches and memory of each config.

import type { Draft, Profile, ReconcileFacts } from "@virt/advisor";
import type { EventMessage, VirtPlatformConfig } from "@virt/api";
import type { Clock, Discovery, Log } from "@virt/kube";
import type { AdmissionPolicies } from "../admission-policies.ts";
import type { ReadCache } from "../read-cache.ts";
import type { AdvisorView } from "./advisor-view.ts";
import type { DriftConfirmer } from "./confirm-drift.ts";
import type { ImpactAssessor } from "./impact-assessor.ts";
import type { AdvisorMetrics } from "./metrics.ts";
import type { OwnStatuses } from "./own-statuses.ts";
import type { RolloutDoctor } from "./rollout-doctor.ts";

export type AdvisorRuntime = {
  readonly profiles: readonly Profile[];
  readonly disabledProfiles: readonly Profile[];
  /** Profiles that get a config with action Ignore if none exists. */
  readonly advertised: readonly Profile[];
  readonly operator: ReconcileFacts["operator"];
  readonly ownNamespace: string;
  readonly view: AdvisorView;
  readonly discovery: Pick<Discovery, "find" | "forgetVersion">;
  readonly remembered: ReadCache;
  readonly confirmer: DriftConfirmer;
  readonly rejections: Rejections;
  readonly policies: AdmissionPolicies;
  readonly ownStatuses: OwnStatuses;
  /** The last draft of each config by name. It includes effects that a stored plan omits. */
  readonly drafts: Map<string, RememberedDraft>;
  readonly impacts: ImpactAssessor;
  readonly doctor: RolloutDoctor;
  readonly clockSteps: ClockSteps;
  /** Start of consecutive failures in monotonic milliseconds, by config. */
  readonly transientErrors: Map<string, number>;
  readonly recordEvent: (config: VirtPlatformConfig, event: EventMessage) => void;
  readonly refreshInformers: () => void;
  readonly metrics: AdvisorMetrics;
  readonly clock: Clock;
  readonly log: Log;
};

export type RememberedDraft = Pick<Extract<Draft, { kind: "drafted" }>, "planHash" | "writes">;

/** Smaller steps are corrections by time synchronization, and are ignored. */
const smallestStepMs = 5_000;

type ConfigClockReading = {
  readonly nowMs: number;
  /** The clock change since the times of the config were written. 0 if unknown. */
  readonly stepMs: number;
  /** Call it after the times of the config match this reading. */
  readonly settle: () => void;
};

/** Detects changes of the wall clock, because they make stored times wrong. */
export class ClockSteps {
  readonly #offsets = new Map<string, number>();
  readonly #clock: Pick<Clock, "wall" | "monotonic">;

  constructor(clock: Pick<Clock, "wall" | "monotonic">) {
    this.#clock = clock;
  }

  /** Reads the clock. Call it once per reconcile, so that the next one detects a later change. */
  read(config: string): ConfigClockReading {
    const nowMs = this.#clock.wall();
    const offset = nowMs - this.#clock.monotonic();
    const step = offset - (this.#offsets.get(config) ?? offset);
    return {
      nowMs,
      stepMs: Math.abs(step) < smallestStepMs ? 0 : step,
      settle: () => void this.#offsets.set(config, offset),
    };
  }

  forget(config: string): void {
    this.#offsets.delete(config);
  }
}

const rejectionLimit = 3;
const rejectionSpacingMs = 5_000;

type RejectionResult =
  | { readonly kind: "rejected"; readonly message: string }
  | { readonly kind: "unavailable"; readonly message: string; readonly retryInMs: number };

/**
 * Counts rejections for one config and one kind of request, because dry runs and writes may get different responses.
 */
export type RejectionCounter = {
  readonly count: (item: string, message: string) => RejectionResult;
  /** Call it for any other response about the object, which ends the sequence. */
  readonly reset: (item: string) => void;
};

/** The Node Health Check Operator refuses changes of its checks while it remediates a node. */
function isTemporary(message: string): boolean {
  return message.includes("prohibited due to running remediation");
}

type RejectionRow = { readonly generation: number; readonly count: number; readonly lastMs: number };

/** Accepts a rejection only after 3 in a row, 5 seconds apart, because webhooks and permissions change. */
export class Rejections {
  readonly #rows = new Map<string, Map<string, RejectionRow>>();

  /** `nowMs` must be monotonic. */
  counterFor(
    request: "dry run" | "write",
    config: { readonly name: string; readonly generation: number },
    nowMs: number,
  ): RejectionCounter {
    const { name, generation } = config;
    const rows = this.#rows.get(name) ?? new Map<string, RejectionRow>();
    this.#rows.set(name, rows);
    return {
      count: (item, message) => {
        if (isTemporary(message)) return { kind: "unavailable", message, retryInMs: rejectionSpacingMs };
        const before = rows.get(`${request} ${item}`);
        const isContinued = before?.generation === generation;
        const { count, lastMs } = isContinued ? before : { count: 0, lastMs: -rejectionSpacingMs };
        const isEarly = nowMs - lastMs < rejectionSpacingMs && count > 0;
        const row = { generation, count: isEarly ? count : count + 1, lastMs: isEarly ? lastMs : nowMs };
        rows.set(`${request} ${item}`, row);
        if (row.count >= rejectionLimit) return { kind: "rejected", message };
        return { kind: "unavailable", message, retryInMs: row.lastMs + rejectionSpacingMs - nowMs };
      },
      reset: (item) => void rows.delete(`${request} ${item}`),
    };
  }

  forget(config: string): void {
    this.#rows.delete(config);
  }
}
