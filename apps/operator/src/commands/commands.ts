import { AccessError } from "@virt/kube";
import { escapeLine, escapeText } from "@virt/objects";
import { PreviewError } from "@virt/reads";
import { flagLines } from "../flags.ts";
import { readFlags } from "../read-flags.ts";
import {
  type Command,
  type CommandArguments,
  type CommandContext,
  CommandError,
  type CommandResult,
} from "./command.ts";
import { exclusionsCommand, explainCommand, featuresCommand, renderCommand } from "./preview-commands.ts";
import { releaseCommand } from "./release.ts";

const commands: Readonly<Record<string, Command>> = {
  render: renderCommand,
  explain: explainCommand,
  exclusions: exclusionsCommand,
  features: featuresCommand,
  release: releaseCommand,
};

export const commandLines: readonly string[] = Object.entries(commands).map(
  ([name, { takes, summary }]) => `  ${commandTitle(name, takes).padEnd(32)} ${summary}`,
);

/** Runs a command and escapes its output for terminals. Undefined if the name is not a command. */
export async function runCommand(args: readonly string[], context: CommandContext): Promise<CommandResult | undefined> {
  const result = await runNamed(args, context);
  return result === undefined ? undefined : escapeResult(result);
}

function escapeResult({ out, notes, failure }: CommandResult): CommandResult {
  const escaped = { out: escapeText(out), notes: notes.map(escapeLine) };
  return failure === undefined ? escaped : { ...escaped, failure: escapeLine(failure) };
}

async function runNamed(args: readonly string[], context: CommandContext): Promise<CommandResult | undefined> {
  const [name = "", ...rest] = args;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) return undefined;
  const read = readFlags(rest, command.flags);
  switch (read.kind) {
    case "help":
      return { out: commandHelp(name, command), notes: [] };
    case "version":
      return { out: `virt-operator ${context.version}\n`, notes: [] };
    case "wrong":
      return failedCommand(`${read.message}; see virt-operator ${name} --help`);
    case "read": {
      const [, second] = command.takes === undefined ? ["", ...read.words] : read.words;
      if (second !== undefined) return failedCommand(`"${second}" is not a flag; see virt-operator ${name} --help`);
      return runCatching(command, argumentsOf(read, command), context);
    }
  }
}

async function runCatching(command: Command, args: CommandArguments, context: CommandContext): Promise<CommandResult> {
  try {
    return await command.run(args, context);
  } catch (error) {
    if (error instanceof CommandError || error instanceof AccessError || error instanceof PreviewError)
      return failedCommand(error.message);
    throw error;
  }
}

function argumentsOf(
  { values, words }: { readonly values: ReadonlyMap<string, readonly string[]>; readonly words: readonly string[] },
  { flags }: Command,
): CommandArguments {
  return {
    words,
    all: (flag) => values.get(flag) ?? [],
    text: (flag) => values.get(flag)?.at(-1) ?? String(flags[flag]?.default ?? ""),
  };
}

function failedCommand(failure: string): CommandResult {
  return { out: "", notes: [], failure };
}

function commandTitle(name: string, takes: string | undefined): string {
  return takes === undefined ? name : `${name} ${takes}`;
}

function commandHelp(name: string, { takes, summary, changes = "Changes nothing", flags }: Command): string {
  return [
    `usage: virt-operator ${commandTitle(name, takes)} [flags]`,
    "",
    `${summary[0]?.toUpperCase()}${summary.slice(1)}. ${changes}.`,
    "",
    ...flagLines(flags),
    "",
  ].join("\n");
}
