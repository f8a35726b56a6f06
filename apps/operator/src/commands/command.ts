// What a command of the operator program is, and what it works with.

import type { Profile } from "@virt/advisor";
import type { Asset, Feature } from "@virt/platform";
import type { FlagTable } from "../read-flags.ts";

/** Content that `main` passes in. */
export type Catalog = {
  readonly assets: readonly Asset[];
  readonly features: readonly Feature[];
  readonly profiles: readonly Profile[];
  readonly operatorOf: (crd: string) => string;
};

export type Surroundings = {
  readonly catalog: Catalog;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The text of a file; throws as Node does. */
  readonly readFile: (path: string) => string;
  /** Milliseconds. */
  readonly now: () => number;
  readonly version: string;
};

/** `trouble` ends the program with 1, after what there is to say. */
export type Ended = { readonly out: string; readonly notes: readonly string[]; readonly trouble?: string };

export type Arguments = {
  readonly words: readonly string[];
  readonly all: (flag: string) => readonly string[];
  /** The last that was given, or the default. */
  readonly text: (flag: string) => string;
};

export type Command = {
  /** Behind its name, in the help. */
  readonly takes?: string;
  readonly summary: string;
  /** What it does to a cluster, in the help; else that it changes nothing. */
  readonly changes?: string;
  readonly flags: FlagTable;
  readonly run: (args: Arguments, surroundings: Surroundings) => Promise<Ended>;
};

/** What a person can mend: a wrong flag, a file that cannot be read, a server that cannot be reached. */
export class CommandError extends Error {
  readonly code = "command";
}
