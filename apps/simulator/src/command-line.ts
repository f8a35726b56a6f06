// Parses the command line. For an unknown flag or invalid value, returns a one-line error that names the flag.

import { type ParseArgsConfig, parseArgs } from "node:util";

export type SimulatorSettings = {
  readonly kubeconfig?: string;
  readonly scenario: string;
  readonly speed: number;
  readonly seed: number;
  readonly onceReady: boolean;
};

type SimulatorCommandLine =
  | { readonly kind: "run"; readonly settings: SimulatorSettings }
  | { readonly kind: "help" }
  | { readonly kind: "wrong"; readonly message: string };

type Flag = { readonly help: string; readonly example?: string; readonly check: (value: string) => string | undefined };

const isPositive = (value: string) => Number.isFinite(Number(value)) && Number(value) > 0;
const isCount = (value: string) => /^[0-9]{1,9}$/.test(value);

const flags = {
  kubeconfig: {
    example: "file",
    help: "kubeconfig of the cluster to run in (default: KUBECONFIG, then ~/.kube/config)",
    check: () => undefined,
  },
  scenario: { example: "name|file", help: "the scenario to simulate (default default)", check: () => undefined },
  speed: {
    example: "factor",
    help: "simulated seconds per real second: with 100, a 5-minute reboot takes 3 seconds (default 1)",
    check: (value) => (isPositive(value) ? undefined : "must be a number above 0"),
  },
  seed: {
    example: "n",
    help: "random seed; the same seed gives the same history (default 1)",
    check: (value) => (isCount(value) ? undefined : "must be a whole number of at most 9 digits"),
  },
  "once-ready": { help: "print the line `ready` when the scenario's objects exist", check: () => undefined },
} as const satisfies Readonly<Record<string, Flag>>;

type Name = keyof typeof flags;

const options: ParseArgsConfig["options"] = {
  ...Object.fromEntries(
    Object.entries(flags).map(([name, flag]) => [name, { type: "example" in flag ? "string" : "boolean" }]),
  ),
  help: { type: "boolean", short: "h" },
};

export function readSimulatorCommandLine(args: readonly string[]): SimulatorCommandLine {
  const values = new Map<Name, string>();
  const { tokens } = parseArgs({ args: [...args], options, allowPositionals: true, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind === "positional") return wrong(`"${token.value}" is not a flag`);
    if (token.kind === "option-terminator") continue;
    const { name } = token;
    if (name === "help") return { kind: "help" };
    if (!isName(name)) return wrong(`unknown flag ${token.rawName}`);
    const value = token.value ?? ("example" in flags[name] ? "" : "true");
    if (value === "") return wrong(`--${name} needs a value`);
    const problem = (flags[name] as Flag).check(value);
    if (problem !== undefined) return wrong(`--${name}=${value}: ${problem}`);
    values.set(name, value);
  }
  return { kind: "run", settings: settingsOf(values) };
}

function isName(name: string): name is Name {
  return Object.hasOwn(flags, name);
}

function wrong(message: string): SimulatorCommandLine {
  return { kind: "wrong", message: `${message}; see --help` };
}

function settingsOf(values: ReadonlyMap<Name, string>): SimulatorSettings {
  const kubeconfig = values.get("kubeconfig");
  return {
    ...(kubeconfig !== undefined && { kubeconfig }),
    scenario: values.get("scenario") ?? "default",
    speed: Number(values.get("speed") ?? 1),
    seed: Number(values.get("seed") ?? 1),
    onceReady: values.get("once-ready") === "true",
  };
}

export function simulatorHelpText(scenarios: readonly (readonly [string, string])[]): string {
  const row = (name: string, text: string) => `  ${name.padEnd(24)} ${text}`;
  const shown = Object.entries(flags as Readonly<Record<string, Flag>>).map(([name, { example, help }]) =>
    row(`--${name}${example === undefined ? "" : ` <${example}>`}`, help),
  );
  return [
    "usage: virt-simulator [flags]",
    "",
    ...shown,
    row("--help", "print this help"),
    "",
    "scenarios:",
    ...scenarios.map(([name, about]) => row(name, about)),
    "",
  ].join("\n");
}
