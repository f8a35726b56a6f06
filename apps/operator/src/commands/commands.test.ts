import { expect, test } from "vitest";
import { commandLines, runCommand } from "./commands.ts";
import { run, surroundings } from "./offline.ts";

const refused = [
  { args: ["render"], trouble: "either --kubeconfig or --hco-file must be specified" },
  { args: ["exclusions"], trouble: "either --kubeconfig or --hco-file must be specified" },
  {
    args: ["render", "--hco-file=plain", "--kubeconfig=k"],
    trouble: "--kubeconfig and --hco-file are mutually exclusive",
  },
  { args: ["render", "--hco-file=nodes.yaml"], trouble: "expected kind HyperConverged, got Node" },
  { args: ["render", "--hco-file=plain", "--output=xml"], trouble: "unsupported output format: xml" },
  {
    args: ["render", "--hco-file=plain", "--asset=swapenable"],
    trouble: "Asset not found: swapenable; did you mean swap-enable?",
  },
  {
    args: ["explain", "swap", "--hco-file=plain"],
    trouble: "Asset not found: swap; swap is a feature; its assets are swap-enable",
  },
  { args: ["explain", "--hco-file=plain"], trouble: "explain needs the name of an asset" },
  { args: ["render", "--hco-file=absent"], trouble: "cannot read absent: no such file" },
  { args: ["render", "--hco-file=text.yaml"], trouble: "cannot read text.yaml: object 1 has no apiVersion, kind and metadata.name" }, // biome-ignore format: one line each
  { args: ["render", "--hco-file=plain", "--facts-file=absent"], trouble: "cannot read absent: no such file" },
  { args: ["render", "--kubeconfig=k", "--facts-file=nodes.yaml"], trouble: "--facts-file goes with --hco-file only" },
  { args: ["render", "--kubeconfig=/no/such"], trouble: "cannot read kubeconfig /no/such: no such file" },
  { args: ["render", "--activation=never"], trouble: "--activation=never: must be one of: opt-in, always; see virt-operator render --help" }, // biome-ignore format: one line each
  { args: ["render", "--hco=plain"], trouble: "unknown flag --hco; see virt-operator render --help" },
  { args: ["render", "swap-enable"], trouble: '"swap-enable" is not a flag; see virt-operator render --help' },
  { args: ["release", "--yes"], trouble: "--kubeconfig must be specified" },
  { args: ["explain", "a", "b"], trouble: '"b" is not a flag; see virt-operator explain --help' },
];

test.each(refused)("$args is refused in words", async ({ args, trouble }) => {
  expect(await run(...args)).toEqual({ out: "", notes: [], trouble });
});

test("a file that is not YAML is named", async () => {
  const { trouble } = await run("render", "--hco-file=not.yaml");
  expect(trouble).toMatch(/^cannot read not\.yaml: not YAML: /);
});

test("whatever is no command is left to run", async () => {
  for (const args of [[], ["--controllers=advisor"], ["toString"]])
    expect(await runCommand(args, surroundings)).toBeUndefined();
});

test("the help of the program lists every command, and each has its own", async () => {
  expect(commandLines.map((line) => line.trim().split(" ")[0])).toEqual([
    "render",
    "explain",
    "exclusions",
    "features",
    "release",
  ]);
  const { out } = await run("explain", "--help");
  expect(out).toContain("usage: virt-operator explain <asset> [flags]");
  expect(out).toContain("--hco-file");
  expect(out).toContain("Changes nothing.");
  expect((await run("release", "--help")).out).toContain("Changes nothing without --yes.");
});
