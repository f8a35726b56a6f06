import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fieldManagers, type KubeObject } from "@virt/api";
import { assets } from "@virt/catalog";
import { appliedBy, fieldSet, keepOnly, leavesOf, readOwners } from "@virt/objects";
import { isState, type RenderEntry } from "@virt/platform";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { hcoPath, runCommand, startCommand, startPlatformCluster } from "../support/platform-cluster.ts";
import { objectPaths } from "../support/running-platform.ts";
import type { TestCluster } from "../support/test-cluster.ts";

const folder = mkdtempSync(join(tmpdir(), "commands-"));
const hcoFile = join(folder, "hco.yaml");
let testCluster: TestCluster;

beforeAll(async () => {
  writeFileSync(
    hcoFile,
    "apiVersion: hco.kubevirt.io/v1\nkind: HyperConverged\nmetadata: {name: kubevirt-hyperconverged, namespace: openshift-cnv}\n",
  );
  testCluster = await startPlatformCluster();
  await testCluster.simulate("no-vms");
  await testCluster.startOperator({ flags: ["--activation=always"] });
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await testCluster[Symbol.asyncDispose]();
});

const online = () => [`--kubeconfig=${testCluster.server.kubeconfig}`];

async function entriesOf(...args: readonly string[]): Promise<readonly RenderEntry[]> {
  const { stdout, stderr, code } = await runCommand("render", "--output=json", ...args);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return JSON.parse(stdout) as readonly RenderEntry[];
}

const live = async ({ apiVersion, kind, metadata: { name, namespace } }: KubeObject) => {
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const place = namespace === undefined ? "" : `/namespaces/${namespace}`;
  return (await testCluster.server.request({ path: `${root}${place}/${kind.toLowerCase()}s/${name}` }))
    .body as KubeObject;
};

function applied(object: KubeObject): KubeObject {
  const own = leavesOf(appliedBy(readOwners(object), fieldManagers.platform)).filter((path) => !isState(path));
  return keepOnly(object, fieldSet(own));
}

test("render works offline and names the flags that it requires", async () => {
  const { code, stdout, stderr } = await runCommand("render", `--hco-file=${hcoFile}`, "--output=status");
  expect(code).toBe(0);
  expect(stdout).toContain(`Summary: 10 included, ${assets.length - 10} excluded, 0 filtered, 0 errors\n`);
  expect(stderr).toMatch(/^Note: /);
  expect(await runCommand("render")).toEqual({
    code: 1,
    stdout: "",
    stderr: "Error: either --kubeconfig or --hco-file must be specified\n",
  });
});

test("render exits without an error if its stdout is closed", async () => {
  const child = startCommand("render", `--hco-file=${hcoFile}`, "--output=json");
  child.stdout.destroy();
  expect(await text(child.stderr)).toMatch(/^Note: [^\n]*\n$/);
});

test("render shows exactly the fields that the controller applied", async () => {
  await vi.waitFor(
    async () => {
      const entries = await entriesOf(...online());
      const included = entries.filter(({ status }) => status === "INCLUDED");
      expect(included.map(({ component }) => component)).toEqual([
        "HyperConverged",
        "Service",
        "ServiceMonitor",
        "PrometheusRule",
        "KubeletConfig",
        "MachineConfig",
        "NodeHealthCheck",
        "UIPlugin",
        "UIPlugin",
        "PersesDashboard",
      ]);
      const shown = included.flatMap(({ object }) => object ?? []);
      expect(await Promise.all(shown.map(async (object) => applied(await live(object))))).toEqual(shown);
    },
    { timeout: 120_000, interval: 500 },
  );
});

test("render and the controller respect overrides on a live object", async () => {
  const path = objectPaths.check;
  const patch = JSON.stringify([{ op: "replace", path: "/spec/minHealthy", value: "60%" }]);
  const annotations = {
    "platform.kubevirt.io/patch": patch,
    "platform.kubevirt.io/ignore-fields": "/spec/stormCooldownDuration",
  };
  await testCluster.server.request({ method: "PATCH", path, body: { metadata: { annotations } } });
  await vi.waitFor(
    async () => {
      const shown = (await entriesOf(...online(), "--asset=node-health-check")).flatMap(({ object }) => object ?? []);
      expect(shown).toMatchObject([{ spec: { minHealthy: "60%" } }]);
      expect(shown[0]).not.toHaveProperty("spec.stormCooldownDuration");
      expect(await Promise.all(shown.map(async (object) => applied(await live(object))))).toEqual(shown);
    },
    { timeout: 120_000, interval: 500 },
  );
});

test("kubectl accepts render's output with its comments", async () => {
  const { stdout, code } = await runCommand("render", ...online(), "--show-excluded");
  expect(code).toBe(0);
  expect(stdout).toContain("# Status: EXCLUDED");
  const file = join(folder, "rendered.yaml");
  writeFileSync(file, stdout);
  const tried = await testCluster.server.kubectl(
    "apply",
    "--server-side",
    "--force-conflicts",
    "--dry-run=server",
    "-f",
    file,
  );
  expect(tried.stderr).toBe("");
  expect(tried.stdout.trim().split("\n")).toHaveLength(10);
});

test("commands only read the cluster, apart from explain's dry runs", async () => {
  const name = "somebody-who-reads";
  const { kubeconfig } = testCluster.server.user(name, ["system:masters"]);
  for (const verb of [["render"], ["explain", "swap-enable"], ["exclusions"], ["features"]])
    expect(await runCommand(...verb, `--kubeconfig=${kubeconfig}`)).toMatchObject({ code: 0 });
  const asked = testCluster.server.audit().filter(({ user }) => user.username === name);
  expect(asked.length).toBeGreaterThan(0);
  const isDryRun = (uri: string) => uri.includes("dryRun=All"); // explain sends dry runs
  const others = asked.filter(({ verb }) => verb !== "get" && verb !== "list");
  expect(others.filter(({ requestURI }) => !isDryRun(requestURI))).toEqual([]);
});

test("render works with the operator's shipped rights", async () => {
  const { kubeconfig } = await testCluster.server.serviceAccount(
    "virt-platform-operator-system",
    "virt-platform-operator-controller-manager",
  );
  const { stdout, code } = await runCommand("render", `--kubeconfig=${kubeconfig}`);
  expect(code).toBe(0);
  expect(stdout).toBe((await runCommand("render", ...online())).stdout);
});

test("render names the missing right", async () => {
  const { kubeconfig } = testCluster.server.user("nobody-special");
  const { code, stderr } = await runCommand("render", `--kubeconfig=${kubeconfig}`);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^Error: cannot list CustomResourceDefinition: .*forbidden/);
});

test("explain reports whether the API server accepts the object", async () => {
  const path = objectPaths.check;
  await vi.waitFor(async () => expect((await testCluster.server.request({ path })).status).toBe(200), {
    timeout: 120_000,
  });
  const explained = async () => (await runCommand("explain", "node-health-check", ...online())).stdout;
  await vi.waitFor(async () => expect(await explained()).toMatch(/^Status: +INCLUDED$/m), { timeout: 120_000 });
  expect(await explained()).toMatch(/^Server: +accepts it \(dry run with your permissions\)$/m);
  const annotate = (patch: string | null) =>
    testCluster.server.request({
      method: "PATCH",
      path,
      body: { metadata: { annotations: { "platform.kubevirt.io/patch": patch } } },
    });
  await annotate(JSON.stringify([{ op: "add", path: "/spec/nonsense", value: 1 }]));
  const { resourceVersion } = ((await testCluster.server.request({ path })).body as KubeObject).metadata;
  const refused = await explained();
  expect(refused).toMatch(/^Status: +ERROR, Refused: the API server rejects it$/m);
  expect(refused).toMatch(/^Server: +rejects it \(dry run with your permissions\): .*nonsense/m);
  expect(((await testCluster.server.request({ path })).body as KubeObject).metadata.resourceVersion).toBe(
    resourceVersion,
  );
  await annotate(null);
});

test("explain reports why an asset is excluded and how to change it", async () => {
  const { stdout } = await runCommand("explain", "swap-enable", ...online());
  expect(stdout).toContain("Status:     INCLUDED\n");
  await testCluster.server.request({
    method: "PATCH",
    path: hcoPath,
    body: { metadata: { annotations: { "platform.kubevirt.io/enable-swap": "false" } } },
  });
  const off = await runCommand("explain", "swap-enable", ...online());
  expect(off.stdout).toContain(
    "Status:     EXCLUDED, SwitchedOff: expected platform.kubevirt.io/enable-swap not false",
  );
  expect(off.stdout).toContain("How to change this:\n  set annotation platform.kubevirt.io/enable-swap=true\n");
});

test("render fails if there is no HyperConverged", async () => {
  await testCluster.server.request({ method: "DELETE", path: hcoPath });
  expect(await runCommand("render", ...online())).toMatchObject({
    code: 1,
    stderr: "Error: no HyperConverged resource found\n",
  });
});
