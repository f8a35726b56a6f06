// What a controller gets from the process it lives in, and what it brings.

import type { PassFacts } from "@virt/advisor";
import type {
  Announcement,
  Clock,
  Controller,
  Discovery,
  Log,
  Reader,
  Registry,
  Routes,
  Watch,
  WatchSpec,
} from "@virt/kube";
import type { ControllerName } from "./flags.ts";
import type { Settings } from "./settings.ts";

export type Housing = {
  readonly settings: Settings;
  readonly version: PassFacts["operator"]["version"];
  /** Where the process itself lives. */
  readonly namespace: string;
  readonly find: (spec: WatchSpec) => Watch | undefined;
  readonly discovery: Pick<Discovery, "find" | "forgetVersion">;
  /** Reads single objects, for whoever asks outside a pass. */
  readonly reader: (signal: AbortSignal) => Reader;
  /** The set of wanted watches may be another one. */
  readonly refresh: () => void;
  /** Looks at a key of this controller. */
  readonly look: (key: string) => void;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly announce: (announcement: Announcement) => void;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly log: Log;
};

export type Housed = {
  readonly controller: Controller;
  readonly wants: () => readonly WatchSpec[];
  /** For people who look for a fault, behind authentication. */
  readonly pages?: Routes;
};

/** The same event is written again at most this often. */
export type Resident = {
  readonly name: ControllerName;
  readonly fieldManager: string;
  readonly eventRepeatMs: number;
  readonly move: (housing: Housing) => Housed;
};
