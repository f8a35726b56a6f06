// What a scenario is: a file in scenarios/ exports one, and the index there lists it.

import type { ApiUser, Server } from "@virt/testkit";
import type { FigureSpec } from "./figures.ts";
import type { FloorSubject } from "./floor.ts";

/** "quick" is for CI, "full" for a release. */
export type Size = "quick" | "usual" | "full";

export type Rig = {
  readonly api: Server;
  /** The account that is measured: the audit log tells its requests from everybody else's. */
  readonly ours: ApiUser;
  readonly size: Size;
  readonly random: () => number;
  /** What is being done at the moment, for whoever watches. */
  readonly say: (what: string) => void;
};

/** Samples by name of the figure; requests by verb, from the audit log. */
export type Measured = {
  readonly samples: Readonly<Record<string, readonly number[]>>;
  readonly requests: Readonly<Record<string, number>>;
};

export type Scenario = {
  readonly name: string;
  /** One sentence: what is done. */
  readonly says: string;
  readonly isQuick: boolean;
  /** How often it is measured between the two floors of a round: twice, or once where it mostly waits. */
  readonly perRound: 1 | 2;
  readonly figures: readonly FigureSpec[];
  /** What the floor is measured on, where it matters how large that is; a small ConfigMap if nothing is said. */
  readonly floorOn?: FloorSubject;
  readonly prepare?: (rig: Rig) => Promise<void>;
  readonly measure: (rig: Rig) => Promise<Measured>;
};

/** The account's name in the audit log. */
export const ourAccount = "ours";
