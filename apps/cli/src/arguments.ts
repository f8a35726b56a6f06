// Parses the command line as kubectl does, and formats the help. Both use the table of verbs.

import { parseArgs } from "node:util";
import { didYouMean } from "@virt/platform";
import { findMalformedValue } from "./flag-values.ts";
import { CliError, type CliFlags, type Verb } from "./verb.ts";
import { globalFlags, verbs } from "./verbs.ts";

export type ReadArguments =
  | { readonly kind: "help"; readonly verb?: Verb }
  | {
      readonly kind: "run";
      readonly verb: Verb;
      readonly words: readonly string[];
      readonly values: ReadonlyMap<string, readonly string[]>;
    };

/** Throws a CliError that names the wrong flag or word. Flags may precede the verb, as in kubectl. */
export function readArguments(args: readonly string[], program: string): ReadArguments {
  const every = Object.assign({}, globalFlags, ...verbs.map(({ flags }) => flags)) as CliFlags;
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      Object.entries(every).map(([name, { value, short }]) => [
        name,
        { type: value === undefined ? "boolean" : "string", ...(short !== undefined && { short }) } as const,
      ]),
    ),
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const words = tokens.flatMap((token) => (token.kind === "positional" ? [token.value] : []));
  const [name, ...rest] = words;
  const options = tokens.filter((token) => token.kind === "option");
  const isHelp = options.some((token) => token.name === "help");
  if (name === undefined || name === "help") return helpFor(rest[0], program);
  const verb = findVerb(name, program);
  if (isHelp) return { kind: "help", verb };
  const values = new Map<string, readonly string[]>();
  for (const { name: flag, rawName, value } of options) {
    checkFlag(verb, { flag, rawName, value }, program);
    values.set(flag, [...(values.get(flag) ?? []), value ?? "true"]);
  }
  for (const [flag, { needs }] of Object.entries(verb.flags))
    if (needs !== undefined && values.has(flag) && !values.has(needs))
      throw new CliError(`--${flag} requires --${needs}; see ${program} ${verb.name} --help`);
  if (values.get("output")?.at(-1) === "name" && verb.lists === undefined)
    throw new CliError(`-o name is not supported by ${verb.name}: it does not list objects`);
  checkWords(verb, rest, program);
  return { kind: "run", verb, words: rest, values };
}

function helpFor(name: string | undefined, program: string): ReadArguments {
  return name === undefined ? { kind: "help" } : { kind: "help", verb: findVerb(name, program) };
}

function findVerb(name: string, program: string): Verb {
  const found = verbs.find((verb) => verb.name === name);
  if (found !== undefined) return found;
  const known = verbs.map((verb) => verb.name);
  throw new CliError(`unknown verb "${name}" for ${program}${didYouMean(name, known) || `; see ${program} help`}`);
}

type GivenFlag = { readonly flag: string; readonly rawName: string; readonly value: string | undefined };

function checkFlag(verb: Verb, { flag, rawName, value }: GivenFlag, program: string): void {
  const known: CliFlags = { ...globalFlags, ...verb.flags };
  const found = Object.hasOwn(known, flag) ? known[flag] : undefined;
  const see = `see ${program} ${verb.name} --help`;
  if (found === undefined) {
    throw new CliError(`unknown flag ${rawName} for ${verb.name}${didYouMean(flag, Object.keys(known)) || `; ${see}`}`);
  }
  if (found.value !== undefined && (value === undefined || value === ""))
    throw new CliError(`${rawName} requires a value (${found.value}); ${see}`);
  if (found.value === undefined && value !== undefined) throw new CliError(`${rawName} does not take a value; ${see}`);
  if (found.choices !== undefined && !found.choices.some((choice) => isChosen(choice, value ?? "")))
    throw new CliError(
      `${rawName} ${value}: must be one of ${found.choices.join(", ")}${didYouMean(value ?? "", found.choices)}`,
    );
  const mistake = found.value === undefined ? undefined : findMalformedValue(found.value, value ?? "");
  if (mistake !== undefined) throw new CliError(`${rawName} ${value}: ${mistake}`);
}

/** A choice that ends with `=` takes a value, as in `jsonpath=TEMPLATE`. */
function isChosen(choice: string, value: string): boolean {
  return choice.endsWith("=") ? value.startsWith(choice) && value !== choice : value === choice;
}

function checkWords({ name, takes }: Verb, words: readonly string[], program: string): void {
  const see = `see ${program} ${name} --help`;
  const isNeeded = takes !== undefined && !takes.startsWith("[");
  const [first, second] = takes === undefined ? [undefined, words[0]] : words;
  if (isNeeded && first === undefined) throw new CliError(`${name} requires ${takes}; ${see}`);
  if (second !== undefined && takes?.includes("...") !== true)
    throw new CliError(`unexpected argument "${second}" for ${name}; ${see}`);
}

export function writeHelp(verb: Verb | undefined, program: string): string {
  return verb === undefined ? programHelp(program) : verbHelp(verb, program);
}

function programHelp(program: string): string {
  return [
    "Plan and review configuration changes of OpenShift Virtualization and KubeVirt, and follow their rollout.",
    "",
    `usage: ${program} VERB [flags]`,
    "",
    "verbs:",
    ...aligned(verbs.map((verb) => [titleOf(verb), verb.summary])),
    "",
    "global flags:",
    ...flagLines(globalFlags),
    "",
    `exit codes: ${exitCodeWords.join("; ")}`,
    `For help on a verb, run: ${program} VERB --help`,
    "",
  ].join("\n");
}

export const exitCodeWords: readonly string[] = [
  "0 success, or nothing to do",
  "1 error",
  "2 changes need a review",
  "3 refused: the current plan is not the named plan",
  "4 the plan failed",
  "5 timed out waiting",
  "6 a rollout is blocked until you act (doctor)",
  "7 no blocking cause found, but some checks were not possible (doctor)",
];

function verbHelp(verb: Verb, program: string): string {
  const own = Object.keys(verb.flags).length === 0 ? [] : ["flags:", ...flagLines(verb.flags), ""];
  return [
    verb.description,
    "",
    `usage: ${program} ${titleOf(verb)} [flags]`,
    "",
    ...own,
    "examples:",
    ...verb.examples.map((example) => `  ${program} ${example}`),
    "",
    `For the global flags, run: ${program} help`,
    "",
  ].join("\n");
}

function titleOf({ name, takes }: Verb): string {
  return takes === undefined ? name : `${name} ${takes}`;
}

function flagLines(flags: CliFlags): readonly string[] {
  return aligned(
    Object.entries(flags).map(([name, { value, short, help }]) => [
      `${short === undefined ? "    " : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`,
      help,
    ]),
  );
}

function aligned(rows: readonly (readonly [string, string] | readonly string[])[]): readonly string[] {
  const width = Math.max(...rows.map(([left = ""]) => left.length));
  return rows.map(([left = "", right = ""]) => `  ${left.padEnd(width)}   ${right}`);
}
