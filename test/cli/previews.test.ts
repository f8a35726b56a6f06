import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type PluginRun, runAtTerminal, runPlugin } from "../support/plugin.ts";
import { startTestCluster, type TestCluster } from "../support/test-cluster.ts";
import { hintsIn, pasteCommand } from "./pasted-command.ts";
import { createHyperConverged, hyperConverged, notActivated, storeReport } from "./platform-objects.ts";

let testCluster: TestCluster;
let kubeconfig: string;
let hcoFile: string;
const namespace = "virt-advisor-operator-system";
const offline = { kubeconfig: "/dev/null" };

beforeAll(async () => {
  testCluster = await startTestCluster({ crds: { kubevirts: "kubevirts" }, lacksRights: true });
  ({ kubeconfig } = testCluster.server);
  await createHyperConverged(testCluster.server);
  hcoFile = join(testCluster.server.folder, "hco.json");
  await writeFile(hcoFile, JSON.stringify(hyperConverged));
});
afterAll(() => testCluster[Symbol.asyncDispose]());

const run = (...args: readonly string[]): Promise<PluginRun> => runPlugin(args, { kubeconfig });

test("assets shows states and reasons from the report, with working hints", async () => {
  const missing = await run("assets");
  expect(missing.code).toBe(1);
  expect(missing.err).toContain("no report from the platform controller found in any namespace");
  const target = "MachineConfig 90-worker-swap";
  await storeReport(testCluster.server, namespace, {
    activation: { mode: "always", isActive: true },
    features: [],
    hardwareChanges: [{ name: "gpuPresent", counted: false, seen: true, countsAt: "2026-11-18T21:10:00Z" }],
    exclusions: [{ asset: "swap-enable", group: "swap", target, reason: "CRDMissing", details: "no pools" }],
  });
  const shown = await run("assets", "-n", namespace);
  expect(shown).toMatchObject({ code: 0, err: "" });
  expect(shown.out).toMatch(
    /swap-enable +MachineConfig 90-worker-swap +Not applicable +- +its operator is not installed \(CRDMissing\): no pools/,
  );
  expect(shown.out).toContain(
    "Hardware change: gpuPresent from false to true. It takes effect at 2026-11-18T21:10:00Z, unless it changes back\n",
  );
  const { out: details } = await run("assets", "swap-enable", "-n", namespace);
  expect(details).toContain(
    "  State: Not applicable\n  Reason: its operator is not installed (CRDMissing): no pools\n",
  );
  expect(details).not.toMatch(/[{}]/u);
  expect((await run("assets", "swap-enabl", "-n", namespace)).err).toContain("did you mean swap-enable?");
  const hints = hintsIn(missing.err, namespace);
  expect(hints).toEqual([`kubectl virt-advisor assets -n ${namespace}`, "kubectl virt-advisor render"]);
  for (const hint of hints) {
    const { code, printed } = await pasteCommand(hint, testCluster.server);
    expect(code, `${hint}\n${printed}`).toBe(0);
  }
});

type RenderedAsset = { asset: string; status: string; reason?: string; object?: object };
const renderedIn = ({ out }: PluginRun) => (JSON.parse(out) as { items: RenderedAsset[] }).items;

test("render explains every asset from a file or from the cluster", async () => {
  const fromFile = await runPlugin(["render", "--hco-file", hcoFile], offline);
  expect(fromFile).toMatchObject({ code: 0 });
  expect(fromFile.out).toMatch(/^ASSET +STATUS +KIND +IMPACT +MANAGED BY +WHY\n/);
  expect(fromFile.out).toMatch(/swap-enable +INCLUDED +MachineConfig +reboot +virt-platform-operator +-\n/);
  expect(fromFile.out).toMatch(
    /aaq-operator +EXCLUDED .* SwitchedOff: expected platform\.kubevirt\.io\/enable-aaq=true/,
  );
  expect(fromFile.out).toMatch(/\d+ included \(\d+ with node reboots\), \d+ excluded/);
  expect(fromFile.out).toContain("Next: kubectl virt-advisor explain ");
  const live = renderedIn(await run("render", "-o", "json"));
  expect(live.find(({ asset }) => asset === "swap-enable")).toMatchObject({
    status: "INCLUDED",
    object: { kind: "MachineConfig" },
  });
  const missing = live.find(({ asset }) => asset === "node-health-check");
  expect(missing?.reason).toContain("CRDMissing: nodehealthchecks.remediation.medik8s.io");
  const narrow = await runAtTerminal(["render", "--hco-file", hcoFile, "--color", "never"], {
    ...offline,
    columns: 100,
  }).ended;
  expect(narrow.out.split(/\r?\n/u).filter((line) => line.length > 100 && !line.startsWith("Note"))).toEqual([]);
});

test("render -o yaml prints documents that the API server accepts", async () => {
  const { code, out } = await run("render", "--asset", "swap-enable", "-o", "yaml");
  expect(code).toBe(0);
  expect(out).toMatch(/^---\n# Asset: swap-enable\n/);
  const file = join(testCluster.server.folder, "rendered.yaml");
  await writeFile(file, out);
  const applied = await testCluster.server.kubectl("apply", "--server-side", "--dry-run=server", "-f", file);
  expect(applied).toMatchObject({ code: 0 });
});

test("explain shows the reason, a server dry run and how to change it", async () => {
  const included = await run("explain", "swap-enable");
  expect(included).toMatchObject({ code: 0 });
  expect(included.out).toContain("Server:       accepts it (dry run with your permissions)");
  expect(included.out).toContain("platform.kubevirt.io/enable-swap=false to disable it");
  const left = await run("explain", "aaq-operator", "-o", "json");
  expect(JSON.parse(left.out)).toMatchObject({ kind: "Explanation", asset: "aaq-operator", status: "EXCLUDED" });
  const fromFile = await runPlugin(["explain", "swap-enable", "--hco-file", hcoFile], offline);
  expect(fromFile.out).toContain("Server:       not contacted: the preview uses files");
  expect(await run("explain", "swap-enabl")).toMatchObject({
    code: 1,
    out: "",
    err: "error: Asset not found: swap-enabl; did you mean swap-enable?\n",
  });
  const nobody = await runPlugin(["explain", "swap-enable"], testCluster.server.user("nobody"));
  expect(nobody).toMatchObject({ code: 1, out: "" });
  expect(nobody.err).toContain("cannot list CustomResourceDefinition");
});

test("explain, render and assets agree about an idle controller", async () => {
  await storeReport(testCluster.server, namespace, { exclusions: [notActivated] });
  const inNamespace = ["-n", namespace];
  expect((await run("assets", ...inNamespace)).out).toMatch(
    /swap-enable .* Unmanaged +- +the platform controller is disabled \(NotActivated\)/,
  );
  const explained = await run("explain", "swap-enable", ...inNamespace);
  expect(explained.out).toMatch(/NO +activation +NotActivated: the platform controller is disabled/);
  expect(explained.out).toContain(
    "set annotation platform.kubevirt.io/virt-platform-operator=swap-enable on the HyperConverged",
  );
  expect((await run("render", ...inNamespace)).out).toMatch(/swap-enable +EXCLUDED .* NotActivated/);
});

test("version works without a drafted plan", async () => {
  expect((await run("version", "--client")).out).toMatch(/^kubectl virt-advisor v\d+\.\d+\.\d+\n$/);
  expect((await run("version")).out).toContain("advisor: unknown (no plan drafted yet)");
});
