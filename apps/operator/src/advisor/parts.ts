// What the advisor's passes share.

import type { News, PassFacts, Profile } from "@virt/advisor";
import type { VirtPlatformConfig } from "@virt/api";
import type { Clock, Discovery, Log } from "@virt/kube";
import type { Remembered } from "../remembered.ts";
import type { DriftConfirmer } from "./confirm-drift.ts";
import type { AdvisorMetrics } from "./metrics.ts";
import type { Rejections } from "./rejections.ts";
import type { View } from "./view.ts";

export type AdvisorParts = {
  readonly profiles: readonly Profile[];
  readonly operator: PassFacts["operator"];
  readonly ownNamespace: string;
  readonly view: View;
  readonly discovery: Pick<Discovery, "find" | "forgetVersion">;
  readonly remembered: Remembered;
  readonly confirmer: DriftConfirmer;
  readonly rejections: Rejections;
  /** Since when a config's passes fail, by name. */
  readonly troubles: Map<string, number>;
  readonly announce: (config: VirtPlatformConfig, news: News) => void;
  readonly metrics: AdvisorMetrics;
  readonly clock: Clock;
  readonly log: Log;
};
