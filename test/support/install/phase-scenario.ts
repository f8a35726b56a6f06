// A VirtPlatformConfig that one release takes to a phase and the other takes over: the scenario type and common user
// actions.

import { configKind, type Phase, type ReviewReason } from "@virt/api";
import type { FaultProxy, Server } from "@virt/testkit";
import { edit, paths, readAt } from "../advisor.ts";
import type { ConfigClient } from "../config-client.ts";

export type Direction = "upgrade" | "downgrade";

export type ScenarioContext = {
  readonly server: Server;
  readonly configs: ConfigClient;
  readonly proxy: FaultProxy;
  readonly direction: Direction;
};

/** The result of the takeover, before any user action. */
export type TakenOver = {
  readonly phase: Phase;
  readonly review?: { readonly reason: ReviewReason; readonly forced: boolean };
  /** Writes of the other release for an earlier approval. */
  readonly writes?: readonly string[];
};

export type PhaseScenario = {
  readonly name: string;
  /** Also the name of the config. */
  readonly profile: string;
  /** Set if only one release reaches the phase. */
  readonly only?: Direction;
  readonly reach: (context: ScenarioContext) => Promise<unknown>;
  /** Runs while no release is running. */
  readonly betweenReleases?: (context: ScenarioContext) => Promise<void>;
  readonly takenOver: Readonly<Record<Direction, TakenOver>>;
  readonly conclude: (context: ScenarioContext) => Promise<unknown>;
  readonly concludes: readonly string[];
};

export function pausePool({ server }: ScenarioContext, paused: boolean): Promise<void> {
  return edit(server, paths.pool("worker"), { spec: { paused } });
}

export async function approvePlan({ configs, server }: ScenarioContext, profile: string): Promise<void> {
  await configs.edit(profile, { action: "DryRun" });
  const config = await readAt(server, `/apis/${configKind.apiVersion}/${configKind.plural}/${profile}`);
  await configs.until(
    profile,
    ({ phase, observedGeneration }) => phase === "ReviewRequired" && observedGeneration === config?.metadata.generation,
  );
  await configs.edit(profile, { action: "Apply" });
  await configs.until(profile, "Completed");
}

export async function applyPlan({ configs }: ScenarioContext, profile: string, spec?: object): Promise<void> {
  await configs.create(profile, { action: "Apply", ...spec });
  await configs.until(profile, "Completed");
}
