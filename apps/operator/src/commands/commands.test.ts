import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commandLines, runCommand } from "./commands.ts";
import { controlCharacters, offlineContext, runOffline } from "./testing/offline.ts";

const refused = [
  { args: ["render"], failure: "either --kubeconfig or --hco-file must be specified" },
  { args: ["exclusions"], failure: "either --kubeconfig or --hco-file must be specified" },
  {
    args: ["render", "--hco-file=plain", "--kubeconfig=k"],
    failure: "--kubeconfig and --hco-file are mutually exclusive",
  },
  { args: ["render", "--hco-file=nodes.yaml"], failure: "expected kind HyperConverged, got Node" },
  { args: ["render", "--hco-file=plain", "--output=xml"], failure: "unsupported output format: xml" },
  {
    args: ["render", "--hco-file=plain", "--asset=swapenable"],
    failure: "Asset not found: swapenable; did you mean swap-enable?",
  },
  {
    args: ["explain", "swap", "--hco-file=plain"],
    failure: "Asset not found: swap; swap is a feature; its assets are swap-enable",
  },
  { args: ["explain", "--hco-file=plain"], failure: "explain requires the name of an asset" },
  { args: ["render", "--hco-file=absent"], failure: "cannot read absent: no such file" },
  { args: ["render", "--hco-file=text.yaml"], failure: "cannot read text.yaml: object 1 must have apiVersion, kind and metadata.name" }, // biome-ignore format: one line each
  { args: ["render", "--hco-file=plain", "--facts-file=absent"], failure: "cannot read absent: no such file" },
  { args: ["render", "--kubeconfig=k", "--facts-file=nodes.yaml"], failure: "--facts-file requires --hco-file" },
  { args: ["render", "--kubeconfig=/no/such"], failure: "cannot read kubeconfig /no/such: no such file" },
  { args: ["render", "--activation=never"], failure: "--activation=never: must be one of: opt-in, always; see virt-operator render --help" }, // biome-ignore format: one line each
  { args: ["render", "--hco=plain"], failure: "unknown flag --hco; see virt-operator render --help" },
  { args: ["render", "swap-enable"], failure: '"swap-enable" is not a flag; see virt-operator render --help' },
  { args: ["release", "--yes"], failure: "--kubeconfig must be specified" },
  { args: ["explain", "a", "b"], failure: '"b" is not a flag; see virt-operator explain --help' },
];

test.each(refused)("rejects $args with a message", async ({ args, failure }) => {
  expect(await runOffline(...args)).toEqual({ out: "", notes: [], failure });
});

test.each(["render", "exclusions", "explain swap-enable"])("%s finds the cluster like kubectl", async (words) => {
  const home = mkdtempSync(join(tmpdir(), "commands-"));
  const [first, second] = [join(home, "first"), join(home, ".kube", "config")];
  mkdirSync(join(home, ".kube"));
  writeFileSync(first, "current-context: chosen\n");
  writeFileSync(second, "contexts: [{name: chosen, context: {cluster: no-such-cluster}}]\n");
  const failureIn = async (environment: Readonly<Record<string, string>>) =>
    (await runCommand(words.split(" "), { ...offlineContext, environment }))?.failure;
  const list = await failureIn({ HOME: "/nowhere", KUBECONFIG: `/missing:${first}:${second}` });
  expect(list).toContain(
    `cannot use kubeconfig ${first}, ${second}: context "chosen" refers to cluster "no-such-cluster"`,
  );
  expect(await failureIn({ HOME: home })).toContain(`cannot use kubeconfig ${second}: it has no current-context`);
  rmSync(home, { recursive: true });
});

test("names a file that is not YAML", async () => {
  const { failure } = await runOffline("render", "--hco-file=not.yaml");
  expect(failure).toMatch(/^cannot read not\.yaml: not YAML: /);
});

const hostile = ["--hco-file=hostile.json", "--facts-file=hostile-patch.json"];
test.each([
  "render --show-excluded",
  "render --show-excluded --output=json",
  "render --show-excluded --output=status",
  "explain node-health-check",
  "explain vfio-permitted-devices --output=json",
  "explain vfio-permitted-devices --output=yaml",
  "exclusions",
  "features --output=status",
])("prints no control character of an annotation: %s", async (line) => {
  const { out, notes, failure = "" } = await runOffline(...line.split(" "), ...hostile);
  const printed = [out, ...notes, failure].join("\n");
  expect(controlCharacters.filter((sign) => printed.includes(sign))).toEqual([]);
  expect(notes.join("\n")).toContain("\\u{9b}");
});

test("JSON output escapes control characters", async () => {
  const { out } = await runOffline("render", "--show-excluded", "--output=json", ...hostile);
  expect(out).toContain("\\u009b");
  expect(JSON.stringify(JSON.parse(out))).toContain(controlCharacters.join(""));
});

test("a failure escapes the control characters of its arguments", async () => {
  const { failure } = await runOffline("explain", "swap\u009B31m", "--hco-file=plain");
  expect(failure).toContain("swap\\u{9b}31m");
});

test("runs the operator if the arguments name no command", async () => {
  for (const args of [[], ["--controllers=advisor"], ["toString"]])
    expect(await runCommand(args, offlineContext)).toBeUndefined();
});

test("the help lists every command, and each command has help", async () => {
  expect(commandLines.map((line) => line.trim().split(" ")[0])).toEqual([
    "render",
    "explain",
    "exclusions",
    "features",
    "release",
  ]);
  const { out } = await runOffline("explain", "--help");
  expect(out).toContain("usage: virt-operator explain <asset> [flags]");
  expect(out).toContain("--hco-file");
  expect(out).toContain("Changes nothing.");
  expect((await runOffline("release", "--help")).out).toContain("Changes nothing without --yes.");
});
