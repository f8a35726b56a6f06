import { type FaultProxy, startFaultProxy } from "@virt/testkit";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { operatorAccount } from "../support/account.ts";
import { type FullCluster, type ManagedTarget, startFullCluster } from "../support/full-cluster.ts";
import type { RunningProgram } from "../support/program.ts";
import { conflictsOf, countReports, create, isThere, remove, rivalries, yieldsOf } from "./rivals.ts";

const managedBy = "platform.kubevirt.io/managed-by";
const yields = rivalries.flatMap((one) => yieldsOf(one, one.first));
const conflicts = rivalries.flatMap((one) => conflictsOf(one, one.first));
let fullCluster: FullCluster;
let proxy: FaultProxy;
let kubeconfig: string;
let operator: RunningProgram;

beforeAll(async () => {
  fullCluster = await startFullCluster();
  for (const { first } of rivalries) await create(fullCluster, first);
  const { server } = fullCluster.testCluster;
  proxy = await startFaultProxy({ server });
  kubeconfig = proxy.kubeconfigFor("platform", await operatorAccount(server, "platform"));
});
afterEach(() => proxy.disarm());
afterAll(async () => {
  await fullCluster[Symbol.asyncDispose]();
  await proxy.stop();
});

const start = () => fullCluster.testCluster.startOperator({ flags: ["--activation=always"], kubeconfig });
const isManaged = async ({ path }: Pick<ManagedTarget, "path">) =>
  (await fullCluster.read(path)).metadata?.labels?.[managedBy] === "virt-platform-operator";

/** Blocks all streams of lists that contain one of these objects. */
function withhold(paths: readonly string[]): void {
  for (const path of paths) {
    const [resource = "", name = ""] = path.split("/").slice(-2);
    const namespace = /\/namespaces\/([^/]+)\//.exec(path)?.[1];
    const of = { resource, name, ...(namespace !== undefined && { namespace }) };
    const trigger = { on: "request", number: 1, matching: { verb: "watch", resource } } as const;
    proxy.arm({ name: `late ${path}`, trigger, fault: { kind: "treat-frames", of, treatment: { do: "hold" } } });
  }
}

/** Waits until all objects without a rival are managed and one of them is corrected. */
async function untilOthersAreReconciled(): Promise<void> {
  const others = fullCluster.targets.filter(({ path }) => rivalries.every(({ ours }) => ours.path !== path));
  await fullCluster.until(async () =>
    expect((await Promise.all(others.map(isManaged))).filter((isOurs) => !isOurs)).toEqual([]),
  );
  const [last] = others.filter(({ ref }) => ref.kind === "KubeDescheduler");
  if (last === undefined) throw new Error("nothing to reconcile");
  await fullCluster.edit(last.path, { metadata: { labels: { [managedBy]: "nobody" } } });
  await fullCluster.until(async () => expect(await isManaged(last)).toBe(true));
}

const present = async () => {
  const found = await Promise.all(rivalries.map(({ ours }) => isThere(fullCluster, ours.path)));
  return rivalries.filter((_, at) => found[at]).map(({ ours }) => ours.name);
};

test("does not create its object before it has listed foreign objects", async () => {
  withhold(rivalries.map(({ first: { path, body } }) => `${path}/${body.metadata.name}`));
  operator = await start();
  await untilOthersAreReconciled();
  expect(await present()).toEqual([]);
  proxy.disarm();
  await expect.poll(() => countReports(operator, yields)).toEqual(yields.map(() => 1));
  expect(await present()).toEqual([]);
});

test("does not treat its object as missing before it has listed it", async () => {
  for (const { first } of rivalries) await remove(fullCluster, first);
  await fullCluster.until(async () => expect(await present()).toHaveLength(rivalries.length));
  for (const { first } of rivalries) await create(fullCluster, first);
  await operator.kill();
  withhold(rivalries.map(({ ours }) => ours.path));
  operator = await start();
  await untilOthersAreReconciled();
  expect(countReports(operator, yields)).toEqual(yields.map(() => 0));
  proxy.disarm();
  await expect.poll(() => countReports(operator, conflicts)).toEqual(conflicts.map(() => 1));
  expect(countReports(operator, yields)).toEqual(yields.map(() => 0));
});
