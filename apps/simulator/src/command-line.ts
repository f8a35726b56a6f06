// Reads the command line. Unknown flags and bad values end with one line that names the flag.

export type Settings = {
  readonly kubeconfig?: string;
  readonly scenario: string;
  readonly speed: number;
  readonly seed: number;
  readonly onceReady: boolean;
};

export type CommandLine =
  | { readonly kind: "run"; readonly settings: Settings }
  | { readonly kind: "help" }
  | { readonly kind: "wrong"; readonly message: string };

type Flag = { readonly help: string; readonly example?: string; readonly check: (value: string) => string | undefined };

const isPositive = (value: string) => Number.isFinite(Number(value)) && Number(value) > 0;
const isCount = (value: string) => /^[0-9]{1,9}$/.test(value);

const flags = {
  kubeconfig: {
    example: "file",
    help: "the cluster to play in; else KUBECONFIG, else ~/.kube/config",
    check: () => undefined,
  },
  scenario: { example: "name|file", help: "what the cluster is like (default default)", check: () => undefined },
  speed: {
    example: "factor",
    help: "simulated seconds in a second: 100 makes a reboot of 5 minutes take 3 seconds (default 1)",
    check: (value) => (isPositive(value) ? undefined : "must be a number above 0"),
  },
  seed: {
    example: "n",
    help: "the same seed gives the same history (default 1)",
    check: (value) => (isCount(value) ? undefined : "must be a whole number of at most 9 digits"),
  },
  "once-ready": { help: "print the line `ready` when the scenario's objects exist", check: () => undefined },
} as const satisfies Readonly<Record<string, Flag>>;

type Name = keyof typeof flags;

export function readCommandLine(args: readonly string[]): CommandLine {
  const values = new Map<Name, string>();
  const rest = [...args];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === "--help" || word === "-h") return { kind: "help" };
    const [, name = "", given] = /^--([^=]+)(?:=([^]*))?$/.exec(word) ?? [];
    if (!isName(name)) return wrong(name === "" ? `"${word}" is not a flag` : `unknown flag --${name}`);
    const value = given ?? ("example" in flags[name] ? rest.shift() : "true");
    if (value === undefined || value === "") return wrong(`--${name} needs a value`);
    const complaint = (flags[name] as Flag).check(value);
    if (complaint !== undefined) return wrong(`--${name}=${value}: ${complaint}`);
    values.set(name, value);
  }
  return { kind: "run", settings: settingsOf(values) };
}

function isName(name: string): name is Name {
  return Object.hasOwn(flags, name);
}

function wrong(message: string): CommandLine {
  return { kind: "wrong", message: `${message}; see --help` };
}

function settingsOf(values: ReadonlyMap<Name, string>): Settings {
  const kubeconfig = values.get("kubeconfig");
  return {
    ...(kubeconfig !== undefined && { kubeconfig }),
    scenario: values.get("scenario") ?? "default",
    speed: Number(values.get("speed") ?? 1),
    seed: Number(values.get("seed") ?? 1),
    onceReady: values.get("once-ready") === "true",
  };
}

export function helpText(scenarios: readonly (readonly [string, string])[]): string {
  const row = (name: string, text: string) => `  ${name.padEnd(24)} ${text}`;
  const shown = Object.entries(flags as Readonly<Record<string, Flag>>).map(([name, { example, help }]) =>
    row(`--${name}${example === undefined ? "" : ` <${example}>`}`, help),
  );
  return [
    "usage: virt-simulator [flags]",
    "",
    ...shown,
    row("--help", "print this"),
    "",
    "scenarios:",
    ...scenarios.map(([name, about]) => row(name, about)),
    "",
  ].join("\n");
}
