// The types of a verb and its context, and the exit codes.

import type { Access } from "@virt/kube";
import type { ClusterSession } from "./cluster-session.ts";
import type { Printer } from "./printer.ts";

/** The exit codes of the program. They never change, because scripts depend on them. */
export const exitCodes = {
  done: 0,
  error: 1,
  reviewNeeded: 2,
  refused: 3,
  failed: 4,
  timedOut: 5,
  blocked: 6,
  unchecked: 7,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** An error that the user can fix, such as a missing permission. The message is one line with a next step. */
export class CliError extends Error {
  readonly code = "cli";
  readonly exitCode: ExitCode;
  /** The HTTP status of the API server's response. Undefined if the server did not respond. */
  readonly answered: number | undefined;

  constructor(message: string, exitCode: ExitCode = exitCodes.error, cause?: unknown, answered?: number) {
    super(message, { cause });
    this.exitCode = exitCode;
    this.answered = answered;
  }
}

/** The user pressed Ctrl-C or Ctrl-D at a prompt. Nothing was sent to the cluster. */
export class PromptAborted extends Error {}

/** A flag. If `value` is absent, the flag is a switch. Otherwise, `value` is the placeholder shown in the help. */
export type CliFlag = {
  readonly value?: string;
  readonly short?: string;
  readonly help: string;
  readonly isRepeated?: boolean;
  readonly needs?: string;
  readonly choices?: readonly string[];
};
export type CliFlags = Readonly<Record<string, CliFlag>>;

export type VerbContext = {
  readonly words: readonly string[];
  /** Returns the last value, or undefined if the flag is not set. */
  readonly flag: (name: string) => string | undefined;
  readonly all: (name: string) => readonly string[];
  readonly isOn: (name: string) => boolean;
  readonly printer: Printer;
  readonly session: () => ClusterSession;
  /** Returns the server and the credentials, from the kubeconfig and the flags for context and impersonation. */
  readonly access: () => Access;
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly version: string;
  /** The command as the user typed it, so that printed commands can be pasted. */
  readonly program: string;
  /** Returns the typed line, or undefined if stdin is not a terminal. Throws PromptAborted on Ctrl-C. */
  readonly ask: (question: string) => Promise<string | undefined>;
  readonly readFile: (path: string) => string;
  readonly environment: Readonly<Record<string, string | undefined>>;
};

export type RunVerb = (context: VerbContext) => Promise<ExitCode>;

/** Describes a verb for the help, the completion, the man page and the documentation. */
export type Verb = {
  readonly name: string;
  /** Positional arguments, such as `NAME`, `[NAME]` or `[NAME...]`. */
  readonly takes?: string;
  /** Lower case, without a period. */
  readonly summary: string;
  readonly description: string;
  readonly flags: CliFlags;
  /** The kind of names that `-o name` prints. */
  readonly lists?: "profiles" | "assets";
  readonly examples: readonly string[];
  /** True if the verb runs until Ctrl-C, and then exits with 0. */
  readonly isServer?: true;
  /** Loads the code on demand, so that a verb does not load the others. */
  readonly load: () => Promise<RunVerb>;
};
