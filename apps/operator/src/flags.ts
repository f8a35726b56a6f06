// The flags of the operator, as one table: parsing, defaults, help text and documents come from it.

type Described = { readonly help: string; readonly aliases?: readonly string[] };

export type Flag = Described &
  (
    | { readonly type: "boolean"; readonly default: boolean }
    | { readonly type: "text"; readonly default: string; readonly check?: (value: string) => string | undefined }
  );

export const controllerNames = ["advisor", "platform"] as const;
export type ControllerName = (typeof controllerNames)[number];

export const oneOfFlag =
  (...allowed: readonly string[]) =>
  (value: string): string | undefined =>
    allowed.includes(value) ? undefined : `must be one of: ${allowed.join(", ")}`;

function listOfControllers(value: string): string | undefined {
  const unknown = value.split(",").filter((name) => !controllerNames.includes(name as ControllerName));
  return unknown.length === 0 ? undefined : `must be a comma list of: ${controllerNames.join(", ")}`;
}

// Go's form: host:port, :port, [v6]:port, or 0 for "not at all".
function address(value: string): string | undefined {
  const port = /^(?:\[[0-9a-fA-F:.]+\]|[^:[\]]*):(\d{1,5})$/.exec(value)?.[1];
  const isGood = value === "0" || (port !== undefined && Number(port) <= 65_535);
  return isGood ? undefined : "must be host:port, :port, or 0 to switch it off";
}

export function namespaceFlag(value: string): string | undefined {
  return /^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)?$/.test(value) ? undefined : "must be the name of a namespace";
}

export const flags = {
  controllers: {
    type: "text",
    default: "advisor,platform",
    check: listOfControllers,
    help: "which controllers run; each holds its own lease",
  },
  kubeconfig: {
    type: "text",
    default: "",
    help: "a kubeconfig file; else the files of KUBECONFIG, else the pod's ServiceAccount, else ~/.kube/config",
  },
  "leader-elect": {
    type: "boolean",
    default: false,
    help: "write only while holding a lease, so that several replicas can run",
  },
  "hco-namespace": {
    type: "text",
    default: "",
    check: namespaceFlag,
    help: "the namespace of the HyperConverged; empty: any namespace",
  },
  activation: {
    type: "text",
    default: "opt-in",
    check: oneOfFlag("opt-in", "always"),
    help: "platform: idle until the HyperConverged asks for it, or always active",
  },
  "advertise-profiles": {
    type: "boolean",
    default: true,
    help: "advisor: create the known profiles as Ignore where they are missing",
  },
  "require-approved-plan": {
    type: "boolean",
    default: false,
    help: "advisor: run only plans whose hash is in spec.approvedPlan",
  },
  "example-profile": {
    type: "boolean",
    default: false,
    help: "advisor: serve example-profile; it needs the rights in config/rbac/example-profile",
  },
  "impact-vm-names": {
    type: "boolean",
    default: true,
    help: "advisor: name the VMs that block or stop in status.impact; false: how many on which node",
  },
  "metrics-bind-address": { type: "text", default: "0", check: address, help: "where metrics are served; 0: nowhere" },
  "metrics-secure": {
    type: "boolean",
    default: true,
    help: "serve metrics over TLS; clients are checked by TokenReview and SubjectAccessReview",
  },
  "metrics-cert-path": {
    type: "text",
    default: "",
    help: "a folder with tls.crt and tls.key for metrics; empty: self-signed",
  },
  "health-probe-bind-address": {
    type: "text",
    default: ":8081",
    check: address,
    help: "where /healthz and /readyz are served",
  },
  "debug-bind-address": {
    type: "text",
    default: "0",
    check: address,
    help: "platform: where debug pages are served; 0: nowhere",
  },
  "log-level": {
    type: "text",
    default: "info",
    check: oneOfFlag("debug", "info", "warn", "error"),
    help: "debug, info, warn or error",
    aliases: ["zap-log-level"],
  },
  "log-format": {
    type: "text",
    default: "",
    check: oneOfFlag("", "json", "pretty", "console"),
    help: "json, or pretty for people; pretty on a terminal",
    aliases: ["zap-encoder"],
  },
} as const satisfies Readonly<Record<string, Flag>>;

/** Flags of the Go operators that mean nothing here; manifests that carry them must not break. */
export const ignoredFlags = [
  "zap-devel",
  "zap-stacktrace-level",
  "zap-time-encoding",
  "webhook-cert-path",
  "webhook-cert-name",
  "webhook-cert-key",
  "metrics-cert-name",
  "metrics-cert-key",
  "enable-http2",
];

export const environmentPrefix = "VIRT_OPERATOR_";

/** `--hco-namespace` is also `VIRT_OPERATOR_HCO_NAMESPACE`. */
export function environmentVariable(flag: string): string {
  return `${environmentPrefix}${flag.toUpperCase().replaceAll("-", "_")}`;
}

/** One line for each flag of a table. */
export function flagLines(table: Readonly<Record<string, Flag>>): readonly string[] {
  return Object.entries(table).map(([name, flag]) => {
    const shown = flag.type === "boolean" ? `--${name}` : `--${name}=…`;
    const usual = flag.default === "" ? "" : ` (default ${flag.default})`;
    return `  ${shown.padEnd(32)} ${flag.help}${usual}`;
  });
}

/** `commands` has one line for each of them. */
export function helpText(commands: readonly string[]): string {
  return [
    "usage: virt-operator [run] [flags]",
    "       virt-operator <command> [flags]",
    "",
    "commands:",
    ...commands,
    `  ${"run".padEnd(32)} run the controllers until told to stop; what happens without a command`,
    "",
    "flags of run:",
    ...flagLines(flags),
    `  ${"--version".padEnd(32)} print the version`,
    `  ${"--help".padEnd(32)} print this; behind a command, its own flags`,
    "",
    `Each flag of run can also be set by an environment variable, ${environmentPrefix} and its name in capitals`,
    `(${environmentVariable("hco-namespace")} for --hco-namespace). The flag wins over the variable.`,
    "",
  ].join("\n");
}
