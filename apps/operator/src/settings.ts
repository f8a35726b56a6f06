// Reads the command line. Unknown flags and bad values end with one line that names the flag.

import type { LogLevel } from "@virt/kube";
import { type ControllerName, controllerNames, type Flag, flags, ignoredFlags } from "./flags.ts";

export type Settings = {
  readonly controllers: readonly ControllerName[];
  readonly kubeconfig: string;
  readonly leaderElect: boolean;
  readonly hcoNamespace: string;
  readonly activation: "opt-in" | "always";
  readonly advertiseProfiles: boolean;
  readonly requireApprovedPlan: boolean;
  readonly metrics: { readonly address: string; readonly isSecure: boolean; readonly certificates: string };
  readonly probeAddress: string;
  readonly debugAddress: string;
  readonly log: { readonly level: LogLevel; readonly format: "json" | "pretty" };
  /** Accepted for the sake of old manifests, and without effect. */
  readonly ignored: readonly string[];
};

export type CommandLine =
  | { readonly kind: "run"; readonly settings: Settings }
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  | { readonly kind: "wrong"; readonly message: string };

type Given = { readonly name: string; readonly value: string };

export function readCommandLine(args: readonly string[], isTerminal: boolean): CommandLine {
  const values = new Map<string, string>();
  const ignored: string[] = [];
  const rest = args[0] === "run" ? args.slice(1) : [...args];
  while (rest.length > 0) {
    const given = take(rest);
    if (given.name === "help" || given.name === "h") return { kind: "help" };
    if (given.name === "version") return { kind: "version" };
    if (ignoredFlags.includes(given.name)) ignored.push(given.name);
    else {
      const message = accept(given, values);
      if (message !== undefined) return { kind: "wrong", message: `${message}; see --help` };
    }
  }
  return { kind: "run", settings: settingsOf(values, ignored, isTerminal) };
}

// As Go reads them: one dash or two, a value behind "=" or as the next word, booleans without one.
function take(args: string[]): Given {
  const word = args.shift() ?? "";
  const [, name = "", value] = /^--?([^=]+)(?:=([^]*))?$/.exec(word) ?? [undefined, "", word];
  if (name === "" || value !== undefined) return { name, value: value ?? "" };
  const isBoolean = find(name)?.flag.type === "boolean" || ["help", "h", "version"].includes(name);
  if (isBoolean || ignoredFlags.includes(name)) return { name, value: "true" };
  return { name, value: args.shift() ?? "\0" };
}

function accept({ name, value }: Given, values: Map<string, string>): string | undefined {
  if (name === "") return `"${value}" is not a flag`;
  const found = find(name);
  if (found === undefined) return `unknown flag --${name}`;
  if (value === "\0") return `--${name} needs a value`;
  const { flag } = found;
  const isBad = flag.type === "boolean" ? !["true", "false"].includes(value) : flag.check?.(value);
  if (isBad) return `--${name}=${value}: ${isBad === true ? "must be true or false" : isBad}`;
  values.set(found.name, value);
  return undefined;
}

function find(name: string): { readonly name: string; readonly flag: Flag } | undefined {
  const entry = Object.entries(flags as Readonly<Record<string, Flag>>).find(
    ([own, { aliases }]) => own === name || aliases?.includes(name) === true,
  );
  return entry && { name: entry[0], flag: entry[1] };
}

function settingsOf(values: ReadonlyMap<string, string>, ignored: readonly string[], isTerminal: boolean): Settings {
  const text = (name: keyof typeof flags) => values.get(name) ?? String(flags[name].default);
  const is = (name: keyof typeof flags) => text(name) === "true";
  const wanted = text("controllers").split(",");
  const format = text("log-format") || (isTerminal ? "pretty" : "json");
  return {
    controllers: controllerNames.filter((name) => wanted.includes(name)),
    kubeconfig: text("kubeconfig"),
    leaderElect: is("leader-elect"),
    hcoNamespace: text("hco-namespace"),
    activation: text("activation") === "always" ? "always" : "opt-in",
    advertiseProfiles: is("advertise-profiles"),
    requireApprovedPlan: is("require-approved-plan"),
    metrics: {
      address: text("metrics-bind-address"),
      isSecure: is("metrics-secure"),
      certificates: text("metrics-cert-path"),
    },
    probeAddress: text("health-probe-bind-address"),
    debugAddress: text("debug-bind-address"),
    log: { level: text("log-level") as LogLevel, format: format === "json" ? "json" : "pretty" },
    ignored,
  };
}
