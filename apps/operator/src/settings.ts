// Reads settings from flags, then environment variables, then defaults. Each error names the flag or variable.

import type { LogLevel } from "@virt/kube";
import { type ControllerName, controllerNames, flags } from "./flags.ts";
import { readEnvironment, readFlags } from "./read-flags.ts";

export type Settings = {
  readonly controllers: readonly ControllerName[];
  readonly kubeconfig: string;
  readonly leaderElect: boolean;
  readonly hcoNamespace: string;
  readonly activation: "opt-in" | "always";
  readonly advertiseProfiles: boolean;
  readonly requireApprovedPlan: boolean;
  readonly exampleProfile: boolean;
  readonly impactVmNames: boolean;
  readonly metrics: {
    readonly address: string;
    readonly isSecure: boolean;
    readonly certificates: string;
    readonly hasLegacyNames: boolean;
  };
  readonly probeAddress: string;
  readonly debugAddress: string;
  readonly log: { readonly level: LogLevel; readonly format: "json" | "pretty" };
  readonly ignored: readonly string[];
  readonly unknownVariables: readonly string[];
};

export type CommandLine =
  | { readonly kind: "run"; readonly settings: Settings }
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  | { readonly kind: "wrong"; readonly message: string };

export type SettingSources = {
  readonly isTerminal: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
};

export function readCommandLine(args: readonly string[], { isTerminal, environment }: SettingSources): CommandLine {
  const read = readFlags(args[0] === "run" ? args.slice(1) : args, flags);
  if (read.kind === "wrong") return { kind: "wrong", message: `${read.message}; see --help` };
  if (read.kind !== "read") return read;
  const [word] = read.words;
  if (word !== undefined) return { kind: "wrong", message: `unknown command "${word}"; see --help` };
  const variables = readEnvironment(environment, flags);
  if (variables.kind === "wrong") return variables;
  const given = [...read.values].flatMap(([name, values]) => values.slice(-1).map((last) => [name, last] as const));
  const settings = settingsOf(new Map([...variables.values, ...given]), isTerminal);
  return { kind: "run", settings: { ...settings, ignored: read.ignored, unknownVariables: variables.unknown } };
}

function settingsOf(
  values: ReadonlyMap<string, string>,
  isTerminal: boolean,
): Omit<Settings, "ignored" | "unknownVariables"> {
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
    exampleProfile: is("example-profile"),
    impactVmNames: is("impact-vm-names"),
    metrics: {
      address: text("metrics-bind-address"),
      isSecure: is("metrics-secure"),
      certificates: text("metrics-cert-path"),
      hasLegacyNames: is("legacy-metric-names"),
    },
    probeAddress: text("health-probe-bind-address"),
    debugAddress: text("debug-bind-address"),
    log: { level: text("log-level") as LogLevel, format: format === "json" ? "json" : "pretty" },
  };
}
