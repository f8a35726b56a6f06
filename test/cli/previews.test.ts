import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inRepository } from "@virt/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startConsole } from "../../tools/console/start-console.ts";
import { type PluginRun, runAtTerminal, runPlugin } from "../support/plugin.ts";
import { startTestCluster, type TestCluster } from "../support/test-cluster.ts";
import { hintsIn, pasteCommand } from "./pasted-command.ts";

let testCluster: TestCluster;
let kubeconfig: string;
let hcoFile: string;
const offline = { kubeconfig: "/dev/null" };

const hco = {
  apiVersion: "hco.kubevirt.io/v1beta1",
  kind: "HyperConverged",
  metadata: { name: "kubevirt-hyperconverged", namespace: "openshift-cnv" },
  spec: {},
};

beforeAll(async () => {
  testCluster = await startTestCluster({ crds: { kubevirts: "kubevirts" }, lacksRights: true });
  ({ kubeconfig } = testCluster.server);
  const path = "/apis/hco.kubevirt.io/v1beta1/namespaces/openshift-cnv/hyperconvergeds";
  await testCluster.server.request({ method: "POST", path, body: hco });
  hcoFile = join(testCluster.server.folder, "hco.json");
  await writeFile(hcoFile, JSON.stringify(hco));
});
afterAll(() => testCluster[Symbol.asyncDispose]());

const run = (...args: readonly string[]): Promise<PluginRun> => runPlugin(args, { kubeconfig });

test("assets shows states and reasons from the report, with working hints", async () => {
  const missing = await run("assets");
  expect(missing.code).toBe(1);
  expect(missing.err).toContain("no report of the platform controller in any namespace");
  const report = {
    version: 1,
    activation: { mode: "always", isActive: true },
    hco: null,
    features: [],
    objects: [],
    hardwareChanges: [{ name: "gpuPresent", counted: false, seen: true, countsAt: "2026-11-18T21:10:00Z" }],
    exclusions: [
      {
        asset: "swap-enable",
        group: "swap",
        target: "MachineConfig 90-worker-swap",
        reason: "CRDMissing",
        details: "no pools",
      },
    ],
  };
  const namespace = "virt-advisor-operator-system";
  await testCluster.server.request({
    method: "POST",
    path: `/api/v1/namespaces/${namespace}/configmaps`,
    body: {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "virt-platform-operator-report" },
      data: { "report.json": JSON.stringify(report) },
    },
  });
  const shown = await run("assets", "-n", namespace);
  expect(shown).toMatchObject({ code: 0, err: "" });
  expect(shown.out).toMatch(
    /swap-enable +MachineConfig 90-worker-swap +Not applicable +its operator is not installed \(CRDMissing\): no pools/,
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
  expect(fromFile.out).toMatch(/^ASSET +STATUS +KIND +IMPACT +WHY\n/);
  expect(fromFile.out).toMatch(/swap-enable +INCLUDED +MachineConfig +reboot +-\n/);
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
  expect(included.out).toContain("Server:     accepts it (dry run with your permissions)");
  expect(included.out).toContain("platform.kubevirt.io/enable-swap=false to disable it");
  const left = await run("explain", "aaq-operator", "-o", "json");
  expect(JSON.parse(left.out)).toMatchObject({ kind: "Explanation", asset: "aaq-operator", status: "EXCLUDED" });
  const fromFile = await runPlugin(["explain", "swap-enable", "--hco-file", hcoFile], offline);
  expect(fromFile.out).toContain("Server:     not contacted: the preview uses files");
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
  const exclusions = [
    { asset: "swap-enable", group: "swap", target: "MachineConfig x", reason: "NotActivated", details: "" },
  ];
  const report = { version: 1, activation: { mode: "opt-in", isActive: false }, hco: null, objects: [], exclusions };
  await testCluster.server.request({
    method: "PATCH",
    path: "/api/v1/namespaces/virt-advisor-operator-system/configmaps/virt-platform-operator-report",
    contentType: "application/merge-patch+json",
    body: { data: { "report.json": JSON.stringify(report) } },
  });
  const inNamespace = ["-n", "virt-advisor-operator-system"];
  expect((await run("assets", ...inNamespace)).out).toMatch(
    /swap-enable .* Unmanaged +the platform controller is disabled \(NotActivated\)/,
  );
  const explained = await run("explain", "swap-enable", ...inNamespace);
  expect(explained.out).toMatch(/NO +activation +NotActivated: the platform controller is disabled/);
  expect(explained.out).toContain("set annotation platform.kubevirt.io/autopilot=swap-enable on the HyperConverged");
  expect((await run("render", ...inNamespace)).out).toMatch(/swap-enable +EXCLUDED .* NotActivated/);
});

test("console serves the pages until Ctrl-C and exits with 0", async () => {
  const served = await startConsole(kubeconfig);
  const opened = await fetch(served.url, { redirect: "manual" });
  expect(opened.status).toBe(303);
  const cookie = opened.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const page = await fetch(`${served.origin}/console.js`, { headers: { cookie } });
  expect(await page.text()).toBe(await readFile(inRepository("dist", "console", "console.js"), "utf8"));
  expect(await served.end()).toBe(0);
  const busy = await run("console", "--port", "70000");
  expect(busy).toMatchObject({ code: 1, out: "" });
  expect(busy.err).toContain("--port 70000: invalid port");
});

test("version and completion work without a drafted plan", async () => {
  expect((await run("version", "--client")).out).toMatch(/^kubectl virt-advisor v\d+\.\d+\.\d+\n$/);
  expect((await run("version")).out).toContain("advisor: unknown (no plan drafted yet)");
  expect((await run("completion", "bash")).out).toContain("profiles");
  expect((await run("help", "approve")).out).toContain("usage: kubectl virt-advisor approve NAME");
});
