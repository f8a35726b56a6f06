// What the advisor's reconciles share: its settings, its caches, and what this process remembers about each config.

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
  /** Known to this build, and disabled by the settings. */
  readonly disabledProfiles: readonly Profile[];
  /** Those for which a config with action Ignore is created where there is none. */
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
  /** The last draft of each config, by name: what else a stored plan would do is seen by it. */
  readonly drafts: Map<string, RememberedDraft>;
  readonly impacts: ImpactAssessor;
  readonly doctor: RolloutDoctor;
  readonly clockSteps: ClockSteps;
  /** Since when a config's reconciles fail, by name, in monotonic time. */
  readonly transientErrors: Map<string, number>;
  readonly recordEvent: (config: VirtPlatformConfig, event: EventMessage) => void;
  /** To be called whenever the set of wanted informers may have changed. */
  readonly refreshInformers: () => void;
  readonly metrics: AdvisorMetrics;
  readonly clock: Clock;
  readonly log: Log;
};

export type RememberedDraft = Pick<Extract<Draft, { kind: "drafted" }>, "planHash" | "writes">;

/** Clocks that are kept right by small steps are left alone. */
const smallestStepMs = 5_000;

type ConfigClockReading = {
  readonly nowMs: number;
  /** By how much the clock was set since the times of this config were written; 0 where this process does not know. */
  readonly stepMs: number;
  /** To be called once the times of the config are right by this reading. */
  readonly settle: () => void;
};

/** Notices that the wall clock was set: times that were written by the old clock mean something else by the new one. */
export class ClockSteps {
  readonly #offsets = new Map<string, number>();
  readonly #clock: Pick<Clock, "wall" | "monotonic">;

  constructor(clock: Pick<Clock, "wall" | "monotonic">) {
    this.#clock = clock;
  }

  /** Read once for each reconcile: the clock may be set while it runs, and the next one must notice. */
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

/** Of one config and one kind of request: the answer to a dry run tells nothing about a write. */
export type RejectionCounter = {
  readonly count: (item: string, message: string) => RejectionResult;
  /** To be called for any other answer about the object: it ends the row. */
  readonly reset: (item: string) => void;
};

type RejectionRow = { readonly generation: number; readonly count: number; readonly lastMs: number };

/** Believes a rejection only when it came three times in a row, some seconds apart: webhooks and rights come and go. */
export class Rejections {
  readonly #rows = new Map<string, Map<string, RejectionRow>>();

  /** `nowMs` never goes back. */
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

  /** The config is gone. */
  forget(config: string): void {
    this.#rows.delete(config);
  }
}
