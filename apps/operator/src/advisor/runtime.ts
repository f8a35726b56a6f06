// The state that all reconciles of the advisor share: settings, caches, and the memory for each config.

import type { Draft, Profile, ReconcileFacts } from "@virt/advisor";
import type { EventMessage, VirtPlatformConfig } from "@virt/api";
import type { Clock, Discovery, Log } from "@virt/kube";
import type { AdmissionPolicies } from "../admission-policies.ts";
import type { ReadCache } from "../read-cache.ts";
import type { AdvisorView } from "./advisor-view.ts";
import type { AutopilotPresence } from "./autopilot-presence.ts";
import type { DriftConfirmer } from "./confirm-drift.ts";
import type { ImpactAssessor } from "./impact-assessor.ts";
import type { AdvisorMetrics } from "./metrics.ts";
import type { OwnStatuses } from "./own-statuses.ts";
import type { RolloutDoctor } from "./rollout-doctor.ts";

export type AdvisorRuntime = {
  readonly profiles: readonly Profile[];
  readonly disabledProfiles: readonly Profile[];
  /** The profiles to advertise: each gets a config with action Ignore if it has none. */
  readonly advertised: readonly Profile[];
  readonly operator: ReconcileFacts["operator"];
  /** Default: the repository of the project. */
  readonly documentationUrlTemplate: string | undefined;
  /** When to try again to write the documentation link of a config, in monotonic milliseconds. */
  readonly linkRetries: Map<string, number>;
  readonly ownNamespace: string;
  readonly view: AdvisorView;
  readonly discovery: Pick<Discovery, "find" | "forgetVersion">;
  readonly remembered: ReadCache;
  readonly confirmer: DriftConfirmer;
  readonly rejections: Rejections;
  readonly policies: AdmissionPolicies;
  readonly ownStatuses: OwnStatuses;
  /** The last draft for each config, by name. It includes effects that the stored plan omits. */
  readonly drafts: Map<string, RememberedDraft>;
  readonly impacts: ImpactAssessor;
  readonly doctor: RolloutDoctor;
  readonly autopilot: AutopilotPresence;
  readonly clockSteps: ClockSteps;
  /** When consecutive failures started, in monotonic milliseconds, by config. */
  readonly transientErrors: Map<string, number>;
  readonly recordEvent: (config: VirtPlatformConfig, event: EventMessage) => void;
  readonly refreshInformers: () => void;
  readonly metrics: AdvisorMetrics;
  readonly clock: Clock;
  readonly log: Log;
};

export type RememberedDraft = Pick<Extract<Draft, { kind: "drafted" }>, "planHash" | "writes">;

/** Smaller clock changes come from time synchronization and are ignored. */
const smallestStepMs = 5_000;

type ConfigClockReading = {
  readonly nowMs: number;
  /** The clock change since the config's timestamps were written. 0 if unknown. */
  readonly stepMs: number;
  /** Call it once the config's timestamps match this reading. */
  readonly settle: () => void;
};

/** Detects changes of the wall clock, because stored timestamps are wrong after such a change. */
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

/** Counts rejected requests for one config, separately for dry runs and writes. */
export type RejectionCounter = {
  readonly count: (item: string, message: string) => RejectionResult;
  /** Call it after any other response, which ends a series of rejections. */
  readonly reset: (item: string) => void;
};

/** The Node Health Check Operator refuses changes of its checks while it remediates a node. */
function isTemporary(message: string): boolean {
  return message.includes("prohibited due to running remediation");
}

type RejectionRow = { readonly generation: number; readonly count: number; readonly lastMs: number };

/** Treats a rejection as final only after 3 in a row, 5 seconds apart, because webhooks and permissions can change. */
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
