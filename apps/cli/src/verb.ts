// What a verb of the command line is, what it is given, and how it ends.

import type { Access } from "@virt/kube";
import type { ClusterSession } from "./cluster-session.ts";
import type { Printer } from "./printer.ts";

/** How the program ends. These never change: scripts go by them. */
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

/** What a person can mend: a wrong flag, a missing right, a server that does not answer. One line, and what to try. */
export class CliError extends Error {
  readonly code = "cli";
  readonly exitCode: ExitCode;
  /** The status that an API server answered with; undefined: none did. */
  readonly answered: number | undefined;

  constructor(message: string, exitCode: ExitCode = exitCodes.error, cause?: unknown, answered?: number) {
    super(message, { cause });
    this.exitCode = exitCode;
    this.answered = answered;
  }
}

/** The user pressed Ctrl-C or Ctrl-D at a prompt, before anything was sent to the cluster. */
export class PromptAborted extends Error {}

/** `value` names what follows the flag; without it the flag is a switch. */
export type CliFlag = {
  readonly value?: string;
  readonly short?: string;
  readonly help: string;
  readonly isRepeated?: boolean;
  /** A flag without which this one has no effect. */
  readonly needs?: string;
  /** The values there are, for completion and the check. */
  readonly choices?: readonly string[];
};
export type CliFlags = Readonly<Record<string, CliFlag>>;

export type VerbContext = {
  /** What was given beside flags. */
  readonly words: readonly string[];
  /** The last that was given; undefined: the flag was not given. */
  readonly flag: (name: string) => string | undefined;
  readonly all: (name: string) => readonly string[];
  readonly isOn: (name: string) => boolean;
  readonly printer: Printer;
  /** Opened when it is first asked for. */
  readonly session: () => ClusterSession;
  /** Where the API server is and as whom it is asked: kubeconfig, context and impersonation. */
  readonly access: () => Access;
  /** Ends with Ctrl-C. */
  readonly signal: AbortSignal;
  /** Milliseconds. */
  readonly now: () => number;
  readonly version: string;
  /** How the person called us, for commands that can be pasted. */
  readonly program: string;
  /** The line that the user typed; undefined: stdin is not a terminal. Throws PromptAborted on Ctrl-C. */
  readonly ask: (question: string) => Promise<string | undefined>;
  readonly readFile: (path: string) => string;
  readonly environment: Readonly<Record<string, string | undefined>>;
};

export type RunVerb = (context: VerbContext) => Promise<ExitCode>;

/** One verb: all that help, completion, man page and documentation say of it, and where its code is. */
export type Verb = {
  readonly name: string;
  /** The words that it takes, such as `NAME`, `[NAME]` or `[NAME...]`. */
  readonly takes?: string;
  /** Lower case, without a full stop. */
  readonly summary: string;
  /** Whole sentences. */
  readonly description: string;
  readonly flags: CliFlags;
  /** What `-o name` prints. */
  readonly lists?: "profiles" | "assets";
  readonly examples: readonly string[];
  /** Runs until Ctrl-C, which is then no interruption: it ends with 0. */
  readonly isServer?: true;
  /** Loaded when it is run: no verb pays for the others. */
  readonly load: () => Promise<RunVerb>;
};
