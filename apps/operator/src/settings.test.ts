import { expect, test } from "vitest";
import { flags, helpText } from "./flags.ts";
import { readCommandLine } from "./settings.ts";

const settings = (...args: readonly string[]) => {
  const line = readCommandLine(args, false);
  if (line.kind !== "run") throw new Error(JSON.stringify(line));
  return line.settings;
};

test("without flags it runs both controllers with safe defaults", () => {
  expect(settings()).toEqual({
    controllers: ["advisor", "platform"],
    kubeconfig: "",
    leaderElect: false,
    hcoNamespace: "",
    activation: "opt-in",
    advertiseProfiles: true,
    requireApprovedPlan: false,
    metrics: { address: "0", isSecure: true, certificates: "" },
    probeAddress: ":8081",
    debugAddress: "0",
    log: { level: "info", format: "json" },
    ignored: [],
  });
});

const accepted = [
  { reason: "a value behind an equals sign", args: ["--kubeconfig=/a=b"], found: { kubeconfig: "/a=b" } },
  { reason: "a value as the next word", args: ["--kubeconfig", "/a"], found: { kubeconfig: "/a" } },
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
  { reason: "the word run, which is implied", args: ["run", "--leader-elect"], found: { leaderElect: true } },
  {
    reason: "the Go operators' names for logs",
    args: ["--zap-log-level=debug", "--zap-encoder=console"],
    found: { log: { level: "debug", format: "pretty" } },
  },
  { reason: "one controller alone", args: ["--controllers=platform"], found: { controllers: ["platform"] } },
  { reason: "an IPv6 address", args: ["--debug-bind-address=[::1]:8083"], found: { debugAddress: "[::1]:8083" } },
  {
    reason: "flags of the Go operators that mean nothing here",
    args: ["--enable-http2=false", "--zap-devel"],
    found: { ignored: ["enable-http2", "zap-devel"] },
  },
  {
    reason: "the last of two",
    args: ["--log-level=debug", "--log-level=error"],
    found: { log: { level: "error", format: "json" } },
  },
];

test.each(accepted)("$reason is understood", ({ args, found }) => {
  expect(settings(...args)).toMatchObject(found);
});

const refused = [
  { args: ["--contrllers=advisor"], message: "unknown flag --contrllers; see --help" },
  {
    args: ["--controllers=advisor,other"],
    message: "--controllers=advisor,other: must be a comma list of: advisor, platform; see --help",
  },
  { args: ["--controllers="], message: "--controllers=: must be a comma list of: advisor, platform; see --help" },
  { args: ["--activation=never"], message: "--activation=never: must be one of: opt-in, always; see --help" },
  { args: ["--leader-elect=yes"], message: "--leader-elect=yes: must be true or false; see --help" },
  {
    args: ["--metrics-bind-address=8443"],
    message: "--metrics-bind-address=8443: must be host:port, :port, or 0 to switch it off; see --help",
  },
  {
    args: ["--health-probe-bind-address=:99999"],
    message: "--health-probe-bind-address=:99999: must be host:port, :port, or 0 to switch it off; see --help",
  },
  {
    args: ["--hco-namespace=Not_One"],
    message: "--hco-namespace=Not_One: must be the name of a namespace; see --help",
  },
  { args: ["--kubeconfig"], message: "--kubeconfig needs a value; see --help" },
  { args: ["advisor"], message: 'unknown command "advisor"; see --help' },
];

test.each(refused)("$args is refused with a line that names the flag", ({ args, message }) => {
  expect(readCommandLine(args, false)).toEqual({ kind: "wrong", message });
});

test("logs are pretty on a terminal, unless somebody says otherwise", () => {
  const format = (...args: readonly string[]) => {
    const line = readCommandLine(args, true);
    return line.kind === "run" && line.settings.log.format;
  };
  expect([format(), format("--log-format=json")]).toEqual(["pretty", "json"]);
});

test("the help text names every flag", () => {
  for (const name of Object.keys(flags)) expect(helpText([])).toContain(`--${name}`);
});
