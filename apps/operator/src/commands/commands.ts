// The commands there are beside `run`, one line each, and how one is run.

import { AccessError } from "@virt/kube";
import { flagLines } from "../flags.ts";
import { readFlags } from "../read-flags.ts";
import { type Arguments, type Command, CommandError, type Ended, type Surroundings } from "./command.ts";
import { exclusions } from "./exclusions.ts";
import { explain } from "./explain.ts";
import { features } from "./features.ts";
import { release } from "./release.ts";
import { render } from "./render.ts";

const commands: Readonly<Record<string, Command>> = { render, explain, exclusions, features, release };

/** One line each, for the help of the program. */
export const commandLines: readonly string[] = Object.entries(commands).map(
  ([name, { takes, summary }]) => `  ${titleOf(name, takes).padEnd(32)} ${summary}`,
);

/** Undefined: it is no command. */
export async function runCommand(args: readonly string[], surroundings: Surroundings): Promise<Ended | undefined> {
  const [name = "", ...rest] = args;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) return undefined;
  const read = readFlags(rest, command.flags);
  switch (read.kind) {
    case "help":
      return { out: helpOf(name, command), notes: [] };
    case "version":
      return { out: `virt-operator ${surroundings.version}\n`, notes: [] };
    case "wrong":
      return failed(`${read.message}; see virt-operator ${name} --help`);
    case "read": {
      const [, second] = command.takes === undefined ? ["", ...read.words] : read.words;
      if (second !== undefined) return failed(`"${second}" is not a flag; see virt-operator ${name} --help`);
      return attempt(command, argumentsOf(read, command), surroundings);
    }
  }
}

async function attempt(command: Command, args: Arguments, surroundings: Surroundings): Promise<Ended> {
  try {
    return await command.run(args, surroundings);
  } catch (error) {
    if (error instanceof CommandError || error instanceof AccessError) return failed(error.message);
    throw error;
  }
}

function argumentsOf(
  { values, words }: { readonly values: ReadonlyMap<string, readonly string[]>; readonly words: readonly string[] },
  { flags }: Command,
): Arguments {
  return {
    words,
    all: (flag) => values.get(flag) ?? [],
    text: (flag) => values.get(flag)?.at(-1) ?? String(flags[flag]?.default ?? ""),
  };
}

function failed(trouble: string): Ended {
  return { out: "", notes: [], trouble };
}

function titleOf(name: string, takes: string | undefined): string {
  return takes === undefined ? name : `${name} ${takes}`;
}

function helpOf(name: string, { takes, summary, changes = "Changes nothing", flags }: Command): string {
  return [
    `usage: virt-operator ${titleOf(name, takes)} [flags]`,
    "",
    `${summary[0]?.toUpperCase()}${summary.slice(1)}. ${changes}.`,
    "",
    ...flagLines(flags),
    "",
  ].join("\n");
}
