// Reads flags as Go does: one dash or two, a value behind "=" or as the next word, booleans without one.

import { type Flag, ignoredFlags } from "./flags.ts";

export type FlagTable = Readonly<Record<string, Flag>>;

export type FlagsRead =
  | {
      readonly kind: "read";
      /** In the order in which they were given; the last counts where only one can. */
      readonly values: ReadonlyMap<string, readonly string[]>;
      readonly words: readonly string[];
      /** Accepted for the sake of old manifests, and without effect. */
      readonly ignored: readonly string[];
    }
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  | { readonly kind: "wrong"; readonly message: string };

type Given = { readonly name: string; readonly value: string };

export function readFlags(args: readonly string[], table: FlagTable): FlagsRead {
  const values = new Map<string, readonly string[]>();
  const words: string[] = [];
  const ignored: string[] = [];
  const rest = [...args];
  while (rest.length > 0) {
    const given = take(rest, table);
    if (given.name === "help" || given.name === "h") return { kind: "help" };
    if (given.name === "version") return { kind: "version" };
    if (given.name === "") words.push(given.value);
    else if (ignoredFlags.includes(given.name)) ignored.push(given.name);
    else {
      const message = accept(given, table, values);
      if (message !== undefined) return { kind: "wrong", message };
    }
  }
  return { kind: "read", values, words, ignored };
}

function take(args: string[], table: FlagTable): Given {
  const word = args.shift() ?? "";
  const [, name = "", value] = /^--?([^=]+)(?:=([^]*))?$/.exec(word) ?? [undefined, "", word];
  if (name === "" || value !== undefined) return { name, value: value ?? "" };
  const isBoolean = find(name, table)?.flag.type === "boolean" || ["help", "h", "version"].includes(name);
  if (isBoolean || ignoredFlags.includes(name)) return { name, value: "true" };
  return { name, value: args.shift() ?? "\0" };
}

function accept({ name, value }: Given, table: FlagTable, values: Map<string, readonly string[]>): string | undefined {
  const found = find(name, table);
  if (found === undefined) return `unknown flag --${name}`;
  if (value === "\0") return `--${name} needs a value`;
  const { flag } = found;
  const isBad = flag.type === "boolean" ? !["true", "false"].includes(value) : flag.check?.(value);
  if (isBad) return `--${name}=${value}: ${isBad === true ? "must be true or false" : isBad}`;
  values.set(found.name, [...(values.get(found.name) ?? []), value]);
  return undefined;
}

function find(name: string, table: FlagTable): { readonly name: string; readonly flag: Flag } | undefined {
  const entry = Object.entries(table).find(([own, { aliases }]) => own === name || aliases?.includes(name) === true);
  return entry && { name: entry[0], flag: entry[1] };
}
