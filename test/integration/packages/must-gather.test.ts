import { execFile } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { inRepository, type Server, startServer } from "@virt/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mockFiles } from "../../../tools/demo/mocks.ts";
import { crdFile } from "../crd-objects.ts";
import { canary, place, plan, situation } from "./situation.ts";

const unknown = "machineconfignodes";

let server: Server;
let kubeconfig: string;
let folder: string;
let printed: string;

beforeAll(async () => {
  server = await startServer();
  await server.installCrds([crdFile, ...mockFiles([unknown])]);
  await server.kubectl("create", "namespace", "openshift-cnv");
  await applyAll(situation);
  await server.request({
    method: "PATCH",
    path: "/apis/advisor.kubevirt.io/v1alpha1/virtplatformconfigs/load-aware-rebalancing/status",
    body: { status: plan },
  });
  ({ kubeconfig } = server.user("support", ["system:masters"]));
  folder = mkdtempSync(join(tmpdir(), "must-gather-test-"));
  printed = await gather(folder);
});

afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function applyAll(objects: readonly object[]): Promise<void> {
  const file = join(server.folder, "situation.json");
  writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
  expect(await server.kubectl("apply", "--server-side", "-f", file)).toMatchObject({ code: 0 });
}

async function gather(into: string): Promise<string> {
  const { stdout } = await run({ KUBECONFIG: kubeconfig, BASE_COLLECTION_PATH: into });
  return stdout;
}

function run(env: NodeJS.ProcessEnv) {
  const PATH = [server.binaries, "/usr/bin", "/bin"].join(delimiter);
  const script = inRepository("tools", "must-gather", "gather");
  return promisify(execFile)(script, { env: { ...env, PATH, HOME: server.folder } });
}

const collected = [
  { file: "version", holds: "Server Version" },
  { file: "cluster-scoped-resources/advisor.kubevirt.io/virtplatformconfigs.yaml", holds: "phase: ReviewRequired" },
  { file: "cluster-scoped-resources/advisor.kubevirt.io/virtplatformconfigs.yaml", holds: "managedFields:" },
  { file: "all-namespaces/hco.kubevirt.io/hyperconvergeds.yaml", holds: "name: kubevirt-hyperconverged" },
  { file: "cluster-scoped-resources/machineconfiguration.openshift.io/machineconfigpools.yaml", holds: "name: worker" },
  { file: "managed-objects.yaml", holds: "name: virt-perf" },
  { file: "plan-targets/KubeDescheduler-cluster.yaml", holds: "kind: KubeDescheduler" },
  { file: "events/virt-platform-operator.yaml", holds: "reason: AssetApplied" },
  { file: `namespaces/${place}/coordination.k8s.io/leases.yaml`, holds: "name: virt-platform-operator.kubevirt.io" },
  { file: `namespaces/${place}/core/virt-platform-operator-report.yaml`, holds: "report.json:" },
  { file: `namespaces/${place}/core/virt-platform-operator-governance.yaml`, holds: "governance.json:" },
  { file: `namespaces/${place}/core/pods.yaml`, holds: "name: manager-1" },
  { file: `namespaces/${place}/apps/deployments.yaml`, holds: "virt-platform-operator-controller-manager" },
];

test.each(collected)("$file contains $holds", ({ file, holds }) => {
  expect(readFileSync(join(folder, file), "utf8")).toContain(holds);
});

test("collects no Secret and no foreign ConfigMap", () => {
  const files = globSync("**/*", { cwd: folder }).filter((file) => statSync(join(folder, file)).isFile());
  expect(files.length).toBeGreaterThan(collected.length);
  expect(files.filter((file) => readFileSync(join(folder, file), "utf8").includes(canary))).toEqual([]);
});

test("prints its progress and result folder, and only reads the cluster", () => {
  expect(printed).toContain(`gather: virt-platform-operator in ${place}\n`);
  expect(printed).toContain(`gather: done, in ${folder}`);
  const asked = server.audit().filter(({ user }) => user.username === "support");
  expect(new Set(asked.map(({ verb }) => verb))).toEqual(new Set(["get", "list"]));
  expect(asked.filter(({ objectRef }) => objectRef?.resource === "secrets")).toEqual([]);
});

test("names a missing kind and an unavailable pod log, and continues", () => {
  const log = readFileSync(join(folder, "gather.log"), "utf8");
  expect(log).toContain(`not complete: cluster-scoped-resources/machineconfiguration.openshift.io/${unknown}.yaml`);
  expect(log).toContain(`not complete: namespaces/${place}/pods/manager-1/current.log`);
});

test("reports an unreachable cluster at once", async () => {
  await expect(run({ KUBECONFIG: "/dev/null", BASE_COLLECTION_PATH: folder })).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining("gather: the cluster does not answer"),
  });
});
