// The table of flags. Parsing, defaults, help and documentation are derived from it.

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
  return unknown.length === 0 ? undefined : `must be a comma-separated list of: ${controllerNames.join(", ")}`;
}

// Accepts addresses as in Go: host:port, :port, [v6]:port, or 0 to disable.
function address(value: string): string | undefined {
  const port = /^(?:\[[0-9a-fA-F:.]+\]|[^:[\]]*):(\d{1,5})$/.exec(value)?.[1];
  const isGood = value === "0" || (port !== undefined && Number(port) <= 65_535);
  return isGood ? undefined : "must be host:port, :port, or 0 to disable it";
}

function namespaceFlag(value: string): string | undefined {
  return /^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)?$/.test(value) ? undefined : "must be the name of a namespace";
}

export const flags = {
  controllers: {
    type: "text",
    default: "advisor,platform",
    check: listOfControllers,
    help: "controllers to run; each has its own lease",
  },
  kubeconfig: {
    type: "text",
    default: "",
    help: "kubeconfig file; if empty, the files in KUBECONFIG, then the pod's ServiceAccount, then ~/.kube/config",
  },
  "leader-elect": {
    type: "boolean",
    default: false,
    help: "write only while holding a lease, so that multiple replicas can run",
  },
  "hco-namespace": {
    type: "text",
    default: "",
    check: namespaceFlag,
    help: "namespace of the HyperConverged; if empty, any namespace",
  },
  activation: {
    type: "text",
    default: "opt-in",
    check: oneOfFlag("opt-in", "always"),
    help: "platform: opt-in (idle until enabled by annotation virt-platform-operator) or always (active)",
  },
  "advertise-profiles": {
    type: "boolean",
    default: true,
    help: "advisor: create a VirtPlatformConfig with action Ignore for each profile that has none",
  },
  "require-approved-plan": {
    type: "boolean",
    default: false,
    help: "advisor: run only plans whose hash is in spec.approvedPlan",
  },
  "example-profile": {
    type: "boolean",
    default: false,
    help: "advisor: serve example-profile; it needs the permissions in config/rbac/example-profile",
  },
  "impact-vm-names": {
    type: "boolean",
    default: true,
    help: "advisor: show the names of blocking and stopping VMs in status.impact; if false, only their nodes and namespaces",
  },
  "metrics-bind-address": {
    type: "text",
    default: "0",
    check: address,
    help: "address to serve metrics on; 0 disables it",
  },
  "metrics-secure": {
    type: "boolean",
    default: true,
    help: "serve metrics over TLS, and authorize clients with TokenReview and SubjectAccessReview",
  },
  "metrics-cert-path": {
    type: "text",
    default: "",
    help: "directory with tls.crt and tls.key for metrics; if empty, a self-signed certificate",
  },
  "legacy-metric-names": {
    type: "boolean",
    default: false,
    help: "platform: also expose its metrics under their former names, kubevirt_autopilot_…",
  },
  "health-probe-bind-address": {
    type: "text",
    default: ":8081",
    check: address,
    help: "address to serve /healthz and /readyz on",
  },
  "debug-bind-address": {
    type: "text",
    default: "0",
    check: address,
    help: "platform: address to serve debug pages on; 0 disables it",
  },
  "log-level": {
    type: "text",
    default: "info",
    check: oneOfFlag("debug", "info", "warn", "error"),
    help: "log level: debug, info, warn or error",
    aliases: ["zap-log-level"],
  },
  "log-format": {
    type: "text",
    default: "",
    check: oneOfFlag("", "json", "pretty", "console"),
    help: "log format: json or pretty; if empty, pretty on a terminal and json otherwise",
    aliases: ["zap-encoder"],
  },
} as const satisfies Readonly<Record<string, Flag>>;

/** Flags of the earlier Go operators. They are accepted without effect, because existing manifests may set them. */
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

/** Returns the variable's name: `--hco-namespace` becomes `VIRT_OPERATOR_HCO_NAMESPACE`. */
export function environmentVariable(flag: string): string {
  return `${environmentPrefix}${flag.toUpperCase().replaceAll("-", "_")}`;
}

export function flagLines(table: Readonly<Record<string, Flag>>): readonly string[] {
  return Object.entries(table).map(([name, flag]) => {
    const shown = flag.type === "boolean" ? `--${name}` : `--${name}=…`;
    const usual = flag.default === "" ? "" : ` (default ${flag.default})`;
    return `  ${shown.padEnd(32)} ${flag.help}${usual}`;
  });
}

export function helpText(commands: readonly string[]): string {
  return [
    "usage: virt-operator [run] [flags]",
    "       virt-operator <command> [flags]",
    "",
    "commands:",
    ...commands,
    `  ${"run".padEnd(32)} run the controllers (default if no command is given)`,
    "",
    "flags of run:",
    ...flagLines(flags),
    `  ${"--version".padEnd(32)} print the version`,
    `  ${"--help".padEnd(32)} print this help; after a command, print its flags`,
    "",
    `Each flag of run can also be set with an environment variable: ${environmentPrefix} and the flag name in capitals`,
    `(${environmentVariable("hco-namespace")} for --hco-namespace). The flag takes precedence.`,
    "",
  ].join("\n");
}
