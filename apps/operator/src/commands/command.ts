// Defines commands, their common flags and their output formats.

import type { Profile } from "@virt/advisor";
import type { Json } from "@virt/api";
import { type Access, findAccess } from "@virt/kube";
import { escapeJson, writeYaml } from "@virt/objects";
import type { Asset } from "@virt/platform";
import { flags, oneOfFlag } from "../flags.ts";
import type { FlagTable } from "../read-flags.ts";

type CommandCatalog = {
  readonly assets: readonly Asset[];
  readonly profiles: readonly Profile[];
};

export type CommandContext = {
  readonly catalog: CommandCatalog;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Returns the content of a file. Throws as Node's `readFileSync` does. */
  readonly readFile: (path: string) => string;
  readonly now: () => number;
  readonly version: string;
};

/** The output of a command. `failure` is printed last and sets exit code 1. */
export type CommandResult = { readonly out: string; readonly notes: readonly string[]; readonly failure?: string };

export type CommandArguments = {
  readonly words: readonly string[];
  readonly all: (flag: string) => readonly string[];
  /** Returns the last given value, or the default. */
  readonly text: (flag: string) => string;
};

export type Command = {
  readonly takes?: string;
  readonly summary: string;
  /** The changes that the command makes in a cluster, for the help text. Absent if it changes nothing. */
  readonly changes?: string;
  readonly flags: FlagTable;
  readonly run: (args: CommandArguments, context: CommandContext) => Promise<CommandResult>;
};

/** An error that the user can fix, such as a wrong flag, an unreadable file or an unreachable server. */
export class CommandError extends Error {
  readonly code = "command";
}

export function accessForCommand(args: CommandArguments, { environment }: CommandContext): Access {
  const kubeconfig = args.text("kubeconfig");
  return findAccess({ env: environment, isPersonal: true, ...(kubeconfig && { kubeconfig }) });
}

export const inputFlags = {
  "hco-file": { type: "text", default: "", help: "read the HyperConverged from this file instead of a cluster" },
  "facts-file": {
    type: "text",
    default: "",
    help: "file with other cluster objects, in YAML or JSON; can be repeated",
  },
  kubeconfig: {
    type: "text",
    default: "",
    help: "kubeconfig of the cluster to read; if empty, kubectl's current context; the cluster is never modified",
  },
  "hco-namespace": flags["hco-namespace"],
  activation: {
    type: "text",
    default: "always",
    check: oneOfFlag("opt-in", "always"),
    help: "activation mode: opt-in (idle until enabled by annotation virt-platform-operator) or always (active)",
  },
} as const satisfies FlagTable;

const formats = ["yaml", "json", "status"] as const;
export type Format = (typeof formats)[number];

export const outputFlag = (usual: Format): FlagTable => ({
  output: { type: "text", default: usual, help: "yaml, json, or status for a table" },
});

export function outputFormatOf(args: CommandArguments): Format {
  const wanted = args.text("output");
  const format = formats.find((known) => known === wanted);
  if (format === undefined) throw new CommandError(`unsupported output format: ${wanted}`);
  return format;
}

export function formatData(value: unknown, format: Exclude<Format, "status">): string {
  const json = JSON.parse(JSON.stringify(value)) as Json;
  return format === "json" ? `${escapeJson(JSON.stringify(json, null, 2))}\n` : writeYaml(json);
}
