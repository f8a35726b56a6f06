// What a command of the operator program is, the flags that say what it reads, and how it prints.

import type { Profile } from "@virt/advisor";
import type { Json } from "@virt/api";
import { escapeJson, writeYaml } from "@virt/engine";
import { type Access, findAccess } from "@virt/kube";
import type { Asset } from "@virt/platform";
import { namespaceFlag, oneOfFlag } from "../flags.ts";
import type { FlagTable } from "../read-flags.ts";

/** Content that `main` passes in. */
type CommandCatalog = {
  readonly assets: readonly Asset[];
  readonly profiles: readonly Profile[];
};

export type CommandContext = {
  readonly catalog: CommandCatalog;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The text of a file; throws as Node does. */
  readonly readFile: (path: string) => string;
  /** Milliseconds. */
  readonly now: () => number;
  readonly version: string;
};

/** `failure` ends the program with 1, after what there is to say. */
export type CommandResult = { readonly out: string; readonly notes: readonly string[]; readonly failure?: string };

export type CommandArguments = {
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
  readonly run: (args: CommandArguments, context: CommandContext) => Promise<CommandResult>;
};

/** What a person can mend: a wrong flag, a file that cannot be read, a server that cannot be reached. */
export class CommandError extends Error {
  readonly code = "command";
}

/** Finds the cluster of a command: the named kubeconfig, else kubectl's rules. */
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
    help: "kubeconfig of the cluster to read; if empty, the current context of kubectl; never writes",
  },
  "hco-namespace": {
    type: "text",
    default: "",
    check: namespaceFlag,
    help: "namespace of the HyperConverged; if empty, any namespace",
  },
  activation: {
    type: "text",
    default: "always",
    check: oneOfFlag("opt-in", "always"),
    help: "activation of the operator: opt-in is idle until enabled by annotation autopilot",
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

/** For programs; people get a table. */
export function formatData(value: unknown, format: Exclude<Format, "status">): string {
  const json = JSON.parse(JSON.stringify(value)) as Json;
  return format === "json" ? `${escapeJson(JSON.stringify(json, null, 2))}\n` : writeYaml(json);
}
