import { expect, test } from "vitest";
import { environmentVariable, flags, helpText } from "./flags.ts";
import { readCommandLine } from "./settings.ts";

const bare = { isTerminal: false, environment: {} };

const settings = (...args: readonly string[]) => {
  const line = readCommandLine(args, bare);
  if (line.kind !== "run") throw new Error(JSON.stringify(line));
  return line.settings;
};

test("runs both controllers with safe defaults without flags", () => {
  expect(settings()).toEqual({
    controllers: ["advisor", "platform"],
    kubeconfig: "",
    leaderElect: false,
    hcoNamespace: "",
    activation: "opt-in",
    advertiseProfiles: true,
    requireApprovedPlan: false,
    exampleProfile: false,
    impactVmNames: true,
    metrics: { address: "0", isSecure: true, certificates: "", hasLegacyNames: false },
    probeAddress: ":8081",
    debugAddress: "0",
    log: { level: "info", format: "json" },
    ignored: [],
    unknownVariables: [],
  });
});

const accepted = [
  { reason: "a value behind an equals sign", args: ["--kubeconfig=/a=b"], found: { kubeconfig: "/a=b" } },
  { reason: "a value as the next word", args: ["--kubeconfig", "/a"], found: { kubeconfig: "/a" } },
  { reason: "a value that begins with a dash", args: ["--kubeconfig", "-a"], found: { kubeconfig: "-a" } },
  { reason: "one dash, as Go allows", args: ["-kubeconfig=/a"], found: { kubeconfig: "/a" } },
  {
    reason: "a boolean without a value",
    args: ["--leader-elect", "--activation=always"],
    found: { leaderElect: true, activation: "always" },
  },
  {
    reason: "a boolean that is switched off",
    args: ["--advertise-profiles=false"],
    found: { advertiseProfiles: false },
  },
  { reason: "the example profile", args: ["--example-profile"], found: { exampleProfile: true } },
  { reason: "the word run, which is implied", args: ["run", "--leader-elect"], found: { leaderElect: true } },
  {
    reason: "the Go operators' names for logs",
    args: ["--zap-log-level=debug", "--zap-encoder=console"],
    found: { log: { level: "debug", format: "pretty" } },
  },
  { reason: "one controller alone", args: ["--controllers=platform"], found: { controllers: ["platform"] } },
  { reason: "an IPv6 address", args: ["--debug-bind-address=[::1]:8083"], found: { debugAddress: "[::1]:8083" } },
  {
    reason: "flags of the Go operators that have no effect here",
    args: ["--enable-http2=false", "--zap-devel"],
    found: { ignored: ["enable-http2", "zap-devel"] },
  },
  {
    reason: "the last of two equal flags",
    args: ["--log-level=debug", "--log-level=error"],
    found: { log: { level: "error", format: "json" } },
  },
];

test.each(accepted)("accepts $reason", ({ args, found }) => {
  expect(settings(...args)).toMatchObject(found);
});

const refused = [
  { args: ["--contrllers=advisor"], message: "unknown flag --contrllers; see --help" },
  {
    args: ["--controllers=advisor,other"],
    message: "--controllers=advisor,other: must be a comma-separated list of: advisor, platform; see --help",
  },
  {
    args: ["--controllers="],
    message: "--controllers=: must be a comma-separated list of: advisor, platform; see --help",
  },
  { args: ["--activation=never"], message: "--activation=never: must be one of: opt-in, always; see --help" },
  { args: ["--leader-elect=yes"], message: "--leader-elect=yes: must be true or false; see --help" },
  {
    args: ["--metrics-bind-address=8443"],
    message: "--metrics-bind-address=8443: must be host:port, :port, or 0 to disable it; see --help",
  },
  {
    args: ["--health-probe-bind-address=:99999"],
    message: "--health-probe-bind-address=:99999: must be host:port, :port, or 0 to disable it; see --help",
  },
  {
    args: ["--hco-namespace=Not_One"],
    message: "--hco-namespace=Not_One: must be the name of a namespace; see --help",
  },
  { args: ["-contrllers", "advisor"], message: "unknown flag --contrllers; see --help" },
  { args: ["--__proto__=1"], message: "unknown flag --__proto__; see --help" },
  { args: ["-x"], message: "unknown flag --x; see --help" },
  { args: ["--kubeconfig"], message: "--kubeconfig needs a value; see --help" },
  { args: ["advisor"], message: 'unknown command "advisor"; see --help' },
];

test.each(refused)("rejects $args with a message that names the flag", ({ args, message }) => {
  expect(readCommandLine(args, bare)).toEqual({ kind: "wrong", message });
});

test("logs are pretty on a terminal unless a flag selects JSON", () => {
  const format = (...args: readonly string[]) => {
    const line = readCommandLine(args, { ...bare, isTerminal: true });
    return line.kind === "run" && line.settings.log.format;
  };
  expect([format(), format("--log-format=json")]).toEqual(["pretty", "json"]);
});

type Environment = Readonly<Record<string, string>>;

const fromEnvironment = (environment: Environment, ...args: readonly string[]) =>
  readCommandLine(args, { ...bare, environment });

test("every flag can be set by its environment variable", () => {
  const sample: Readonly<Record<string, string>> = {
    controllers: "advisor",
    "hco-namespace": "cnv",
    activation: "always",
    "log-level": "debug",
    "log-format": "pretty",
  };
  for (const [name, flag] of Object.entries(flags)) {
    const other = flag.type === "boolean" ? String(!flag.default) : (sample[name] ?? "127.0.0.1:1");
    expect([name, fromEnvironment({ [environmentVariable(name)]: other })]).toEqual([
      name,
      readCommandLine([`--${name}=${other}`], bare),
    ]);
    expect(fromEnvironment({ [environmentVariable(name)]: other })).not.toEqual(readCommandLine([], bare));
  }
});

test("a flag overrides its environment variable, and empty means unset", () => {
  const environment = { VIRT_OPERATOR_ACTIVATION: "always", VIRT_OPERATOR_HCO_NAMESPACE: "" };
  expect(fromEnvironment(environment, "--activation=opt-in")).toEqual(readCommandLine([], bare));
});

const refusedVariables: readonly { readonly environment: Environment; readonly message: string }[] = [
  {
    environment: { VIRT_OPERATOR_REQUIRE_APPROVED_PLANS: "true" },
    message:
      "unknown environment variable VIRT_OPERATOR_REQUIRE_APPROVED_PLANS; did you mean VIRT_OPERATOR_REQUIRE_APPROVED_PLAN? Rename or remove the variable",
  },
  {
    environment: { VIRT_OPERATOR_ACTIVATION: "never" },
    message:
      "VIRT_OPERATOR_ACTIVATION=never: must be one of: opt-in, always. Correct the variable, or remove it for the default (opt-in)",
  },
  {
    environment: { VIRT_OPERATOR_LEADER_ELECT: "yes" },
    message:
      "VIRT_OPERATOR_LEADER_ELECT=yes: must be true or false. Correct the variable, or remove it for the default (false)",
  },
];

test.each(refusedVariables)(
  "rejects $environment with a message that names the variable",
  ({ environment, message }) => {
    expect(fromEnvironment(environment)).toEqual({ kind: "wrong", message });
  },
);

test("ignores variables that the kubelet sets for Services", () => {
  const environment = {
    VIRT_OPERATOR_SERVICE_HOST: "10.0.0.1",
    VIRT_OPERATOR_PORT: "tcp://10.0.0.1:443",
    VIRT_OPERATOR_PORT_443_TCP: "tcp://10.0.0.1:443",
    VIRT_OPERATOR_METRICS_SERVICE_PORT_HTTPS: "8443",
    VIRT_OPERATOR_METRICS_PORT: "tcp://10.0.0.1:8443",
  };
  expect(fromEnvironment(environment)).toEqual(readCommandLine([], bare));
});

test("reports an unknown variable and otherwise ignores it", () => {
  expect(fromEnvironment({ VIRT_OPERATOR_FEATURE_OF_TOMORROW: "on" })).toEqual({
    kind: "run",
    settings: { ...settings(), unknownVariables: ["VIRT_OPERATOR_FEATURE_OF_TOMORROW"] },
  });
});

test("the help text names every flag", () => {
  for (const name of Object.keys(flags)) expect(helpText([])).toContain(`--${name}`);
});
