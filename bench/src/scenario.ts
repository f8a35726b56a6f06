// The type of a scenario. Each file in scenarios/ exports a scenario, and the index there lists them.

import type { ApiUser, Server } from "@virt/testkit";
import type { FigureSpec } from "./figures.ts";
import type { FloorSubject } from "./floor.ts";

/** "quick" is for CI, "full" for a release. */
export type Size = "quick" | "usual" | "full";

export type Rig = {
  readonly api: Server;
  /** The account of the measured program. It identifies the program's requests in the audit log. */
  readonly ours: ApiUser;
  readonly size: Size;
  readonly random: () => number;
  readonly say: (what: string) => void;
};

/** Samples by figure name, and requests by verb from the audit log. */
export type Measured = {
  readonly samples: Readonly<Record<string, readonly number[]>>;
  readonly requests: Readonly<Record<string, number>>;
};

export type Scenario = {
  readonly name: string;
  readonly says: string;
  readonly isQuick: boolean;
  /** The number of measurements per round: 2, or 1 if the scenario mostly waits. */
  readonly perRound: 1 | 2;
  readonly figures: readonly FigureSpec[];
  /** The object that the floor is measured with, if its size matters. Default: a small ConfigMap. */
  readonly floorOn?: FloorSubject;
  readonly prepare?: (rig: Rig) => Promise<void>;
  readonly measure: (rig: Rig) => Promise<Measured>;
};

export const ourAccount = "ours";
