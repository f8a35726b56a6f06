// What the platform's passes share.

import type { Bucket, Purposes } from "@virt/engine";
import type { Announcement, Clock, Discovery, Log, Watch, WatchSpec } from "@virt/kube";
import type { Asset, ExclusionRule, LastError, ObjectMemory, Settled, Tombstone } from "@virt/platform";
import type { Remembered } from "../remembered.ts";
import type { Settings } from "../settings.ts";
import type { Burial } from "./bury.ts";
import type { MissingCrds } from "./discovered.ts";
import type { PlatformMetrics } from "./metrics.ts";
import type { Tally } from "./tally.ts";

export type PlatformParts = {
  readonly assets: readonly Asset[];
  readonly tombstones: readonly Tombstone[];
  readonly settings: Settings;
  readonly images: Readonly<Record<string, string>>;
  readonly purposesOf: Purposes;
  readonly ownNamespace: string;
  readonly runbookUrlTemplate: string | undefined;
  readonly find: (spec: WatchSpec) => Watch | undefined;
  readonly discovery: Pick<Discovery, "find">;
  readonly remembered: Remembered;
  /** By key of the object; all of it may be lost. */
  readonly memory: Map<string, ObjectMemory>;
  /** What stays true between passes, and is read in many of them. */
  readonly standing: PlatformStanding;
  readonly announce: (announcement: Announcement) => void;
  readonly metrics: PlatformMetrics;
  readonly clock: Clock;
  readonly log: Log;
  /** Looks at an object again. */
  readonly look: (key: string) => void;
};

/** How often in a row. */
export type Failure = LastError & { readonly times: number };

export type PlatformStanding = {
  /** The last list of exclusions that could be read. */
  exclusions: readonly ExclusionRule[] | undefined;
  /** The content of the HyperConverged with which its own stage is through: the other objects work from it. */
  hcoDone: string | undefined;
  /** All objects have to be looked at once the HyperConverged was. */
  isRoundDue: boolean;
  /** Objects that were looked at because features went off: by key, for which assets. */
  readonly pruned: Map<string, string>;
  /** What became of tombstones in this process, by their keys. */
  readonly buried: Map<string, Burial>;
  /** What the last pass over an object could not do, by key. */
  readonly failures: Map<string, Failure>;
  /** What was told and still stands, by subject. */
  readonly told: Map<string, ReadonlySet<string>>;
  /** Objects that were paused when they were last looked at. */
  readonly paused: Set<string>;
  /** Objects whose writes had to wait, until they may write as often as any other. */
  readonly throttled: Map<string, Bucket>;
  /** Since when an object waits for an input, by key, in monotonic milliseconds. */
  readonly unreadSince: Map<string, number>;
  /** How assets stood when all that they read could be read. */
  readonly lastKnown: Map<string, Settled>;
  readonly tally: Tally;
  missingCrds: MissingCrds;
  /** Whether there is work, as it was last said; undefined: not known yet. */
  activity: "active" | "idle" | "no HyperConverged" | undefined;
};
