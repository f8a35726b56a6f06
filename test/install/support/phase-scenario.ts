// A VirtPlatformConfig that one release takes to a phase and the other takes over: what a scenario holds, and what people do in many of them.

import { configKind, type Phase, type ReviewReason } from "@virt/api";
import type { FaultProxy, Server } from "@virt/testkit";
import type { ConfigClient } from "../../cluster/config-client.ts";
import { edit, paths, readAt } from "../../integration/advisor/cluster.ts";

export type Direction = "upgrade" | "downgrade";

export type ScenarioContext = {
  readonly server: Server;
  readonly configs: ConfigClient;
  /** In front of the release that runs first. */
  readonly proxy: FaultProxy;
  readonly direction: Direction;
};

/** What the other release makes of it before a person does anything. */
export type TakenOver = {
  readonly phase: Phase;
  readonly review?: { readonly reason: ReviewReason; readonly forced: boolean };
  /** What a person had approved before, and the other release carries out. */
  readonly writes?: readonly string[];
};

export type PhaseScenario = {
  /** The phase, and what is special about it. */
  readonly name: string;
  /** Also the name of its config. */
  readonly profile: string;
  /** Where only one release gets there. */
  readonly only?: Direction;
  /** While the first release runs. */
  readonly reach: (context: ScenarioContext) => Promise<unknown>;
  /** While nobody runs, before the other release is started. */
  readonly betweenReleases?: (context: ScenarioContext) => Promise<void>;
  readonly takenOver: Readonly<Record<Direction, TakenOver>>;
  /** What people do next, until it is as it should be. */
  readonly conclude: (context: ScenarioContext) => Promise<unknown>;
  /** What that writes. */
  readonly concludes: readonly string[];
};

/** The nodes stay as they are until it is lifted. */
export function pausePool({ server }: ScenarioContext, paused: boolean): Promise<void> {
  return edit(server, paths.pool("worker"), { spec: { paused } });
}

/** As the plan on display says, by people who review it in between. */
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
