// Parses flags in Go's syntax. Reads the same settings from environment variables, which an OLM Subscription can set.

import { type ParseArgsConfig, parseArgs } from "node:util";
import { likelyMeant } from "@virt/platform";
import { environmentPrefix, environmentVariable, type Flag, ignoredFlags } from "./flags.ts";

export type FlagTable = Readonly<Record<string, Flag>>;

export type FlagsRead =
  | {
      readonly kind: "read";
      /** The values of each flag, in order. For flags that take a single value, the last one applies. */
      readonly values: ReadonlyMap<string, readonly string[]>;
      readonly words: readonly string[];
      /** The flags that were accepted for compatibility, but have no effect. */
      readonly ignored: readonly string[];
    }
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  | { readonly kind: "wrong"; readonly message: string };

export function readFlags(args: readonly string[], table: FlagTable): FlagsRead {
  const values = new Map<string, readonly string[]>();
  const words: string[] = [];
  const ignored: string[] = [];
  const { tokens } = parseArgs({
    args: args.map(withTwoDashes),
    options: parseOptions(table),
    allowPositionals: true,
    strict: false, // errors are reported below, with our own messages
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind === "positional") words.push(token.value);
    if (token.kind !== "option") continue;
    const { name, inlineValue, index } = token;
    if (name === "help") return { kind: "help" };
    if (name === "version") return { kind: "version" };
    if (ignoredFlags.includes(name)) {
      ignored.push(name);
      continue;
    }
    const found = findFlag(name, table);
    if (found === undefined) return { kind: "wrong", message: `unknown flag --${name}` };
    const value = inlineValue === false ? args[index + 1] : (token.value ?? defaultValue(found.flag));
    if (value === undefined) return { kind: "wrong", message: `--${name} needs a value` };
    const fault = checkValue(found.flag, value);
    if (fault !== undefined) return { kind: "wrong", message: `--${name}=${value}: ${fault}` };
    values.set(found.name, [...(values.get(found.name) ?? []), value]);
  }
  return { kind: "read", values, words, ignored };
}

/** Converts Go's single dash to a double dash. Values in separate arguments are not converted. */
function withTwoDashes(word: string): string {
  return /^-[^-]./.test(word) ? `-${word}` : word;
}

function parseOptions(table: FlagTable): NonNullable<ParseArgsConfig["options"]> {
  const known = Object.entries(table).flatMap(([name, { type, aliases = [] }]) =>
    [name, ...aliases].map((spelling) => [spelling, { type: type === "boolean" ? type : "string" }] as const),
  );
  const without = [...ignoredFlags, "version"].map((name) => [name, { type: "boolean" }] as const);
  return Object.fromEntries([...known, ...without, ["help", { type: "boolean", short: "h" }]]);
}

function defaultValue({ type }: Flag): string | undefined {
  return type === "boolean" ? "true" : undefined;
}

/** Returns the error in a value, or undefined if the value is valid. */
function checkValue(flag: Flag, value: string): string | undefined {
  if (flag.type === "boolean") return ["true", "false"].includes(value) ? undefined : "must be true or false";
  return flag.check?.(value);
}

function findFlag(name: string, table: FlagTable): { readonly name: string; readonly flag: Flag } | undefined {
  const entry = Object.entries(table).find(([own, { aliases }]) => own === name || aliases?.includes(name) === true);
  return entry && { name: entry[0], flag: entry[1] };
}

export type EnvironmentRead =
  | {
      readonly kind: "read";
      readonly values: ReadonlyMap<string, string>;
      /** The variables that have the operator's prefix but match no flag. They have no effect. */
      readonly unknown: readonly string[];
    }
  | { readonly kind: "wrong"; readonly message: string };

/** Reports whether the kubelet set the variable because of a Service named `virt-operator` or `virt-operator-…`. */
function isServiceLink(variable: string, value: string): boolean {
  const names = /_(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_\w+)?)$/;
  return names.test(variable) || /^(?:tcp|udp|sctp):\/\//.test(value);
}

/**
 * Reads settings from variables with the operator's prefix. A misspelled flag is an error, because a safeguard could
 * otherwise be silently disabled. Other unknown variables are ignored, because they may belong to a newer release and
 * must not break a downgrade. An empty value counts as not set.
 */
export function readEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  table: FlagTable,
): EnvironmentRead {
  const flagOf = new Map(Object.keys(table).map((name) => [environmentVariable(name), name]));
  const values = new Map<string, string>();
  const unknown: string[] = [];
  for (const [variable, value = ""] of Object.entries(environment)) {
    if (!variable.startsWith(environmentPrefix)) continue;
    const name = flagOf.get(variable);
    const flag = name === undefined ? undefined : table[name];
    if (name === undefined || flag === undefined) {
      if (isServiceLink(variable, value)) continue;
      const meant = meantVariable(variable, [...flagOf.keys()]);
      if (meant !== undefined) return { kind: "wrong", message: misspelt(variable, meant) };
      unknown.push(variable);
      continue;
    }
    const fault = value === "" ? undefined : checkValue(flag, value);
    if (fault !== undefined) return { kind: "wrong", message: badVariable(`${variable}=${value}: ${fault}`, flag) };
    if (value !== "") values.set(name, value);
  }
  return { kind: "read", values, unknown };
}

function meantVariable(variable: string, known: readonly string[]): string | undefined {
  const bare = (name: string) => name.slice(environmentPrefix.length);
  const meant = likelyMeant(bare(variable), known.map(bare));
  return meant === undefined ? undefined : `${environmentPrefix}${meant}`;
}

function misspelt(variable: string, meant: string): string {
  return `unknown environment variable ${variable}; did you mean ${meant}? Rename or remove the variable`;
}

function badVariable(what: string, { default: usual }: Flag): string {
  return `${what}. Correct the variable, or remove it for the default${usual === "" ? "" : ` (${usual})`}`;
}
