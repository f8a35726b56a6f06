import { afterEach, expect, test } from "vitest";
import { type ManagedTarget } from "../support/full-cluster.ts";
import { type RunningPlatform, sharePlatform } from "../support/running-platform.ts";
import { conflictsOf, countReports, create, isThere, remove, rivalries, yieldsOf } from "./rivals.ts";

const managedBy = "platform.kubevirt.io/managed-by";
const yields = rivalries.flatMap((one) => yieldsOf(one, one.first));
const conflicts = rivalries.flatMap((one) => conflictsOf(one, one.first));
const platform = sharePlatform({ isProxied: true, until: "prepared", prepare: createFirst });

async function createFirst(cluster: RunningPlatform): Promise<void> {
  for (const { first } of rivalries) await create(cluster, first);
}

afterEach(() => platform.proxy.disarm());

const isManaged = async ({ path }: Pick<ManagedTarget, "path">) =>
  (await platform.read(path)).metadata?.labels?.[managedBy] === "virt-platform-operator";

/** Blocks all streams of lists that contain one of these objects. */
function withhold(paths: readonly string[]): void {
  for (const path of paths) {
    const [resource = "", name = ""] = path.split("/").slice(-2);
    const namespace = /\/namespaces\/([^/]+)\//.exec(path)?.[1];
    const of = { resource, name, ...(namespace !== undefined && { namespace }) };
    const trigger = { on: "request", number: 1, matching: { verb: "watch", resource } } as const;
    platform.proxy.arm({
      name: `late ${path}`,
      trigger,
      fault: { kind: "treat-frames", of, treatment: { do: "hold" } },
    });
  }
}

/** Waits until all objects without a rival are managed and one of them is corrected. */
async function untilOthersAreReconciled(): Promise<void> {
  const others = platform.targets.filter(({ path }) => rivalries.every(({ ours }) => ours.path !== path));
  await platform.until(async () =>
    expect((await Promise.all(others.map(isManaged))).filter((isOurs) => !isOurs)).toEqual([]),
  );
  const [last] = others.filter(({ ref }) => ref.kind === "KubeDescheduler");
  if (last === undefined) throw new Error("nothing to reconcile");
  await platform.untilCorrected(last.path);
}

const present = async () => {
  const found = await Promise.all(rivalries.map(({ ours }) => isThere(platform, ours.path)));
  return rivalries.filter((_, at) => found[at]).map(({ ours }) => ours.name);
};

test("does not create its object before it has listed foreign objects", async () => {
  withhold(rivalries.map(({ first: { path, body } }) => `${path}/${body.metadata.name}`));
  await platform.start();
  await untilOthersAreReconciled();
  expect(await present()).toEqual([]);
  platform.proxy.disarm();
  await expect.poll(() => countReports(platform.operator, yields)).toEqual(yields.map(() => 1));
  expect(await present()).toEqual([]);
});

test("does not treat its object as missing before it has listed it", async () => {
  for (const { first } of rivalries) await remove(platform, first);
  await platform.until(async () => expect(await present()).toHaveLength(rivalries.length));
  for (const { first } of rivalries) await create(platform, first);
  await platform.operator.kill();
  withhold(rivalries.map(({ ours }) => ours.path));
  await platform.start();
  await untilOthersAreReconciled();
  expect(countReports(platform.operator, yields)).toEqual(yields.map(() => 0));
  platform.proxy.disarm();
  await expect.poll(() => countReports(platform.operator, conflicts)).toEqual(conflicts.map(() => 1));
  expect(countReports(platform.operator, yields)).toEqual(yields.map(() => 0));
});
