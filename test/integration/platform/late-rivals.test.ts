import { type FaultProxy, startFaultProxy } from "@virt/testkit";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { operatorAccount } from "../../world/account.ts";
import type { RunningProgram } from "../../world/program.ts";
import { type Golden, startGolden, type Target } from "./golden.ts";
import { conflictsOf, create, isThere, remove, rivalries, timesTold, yieldsOf } from "./rivals.ts";

const managedBy = "platform.kubevirt.io/managed-by";
const yields = rivalries.flatMap((one) => yieldsOf(one, one.first));
const conflicts = rivalries.flatMap((one) => conflictsOf(one, one.first));
let golden: Golden;
let proxy: FaultProxy;
let kubeconfig: string;
let operator: RunningProgram;

beforeAll(async () => {
  golden = await startGolden();
  for (const { first } of rivalries) await create(golden, first);
  const { server } = golden.world;
  proxy = await startFaultProxy({ server });
  kubeconfig = proxy.kubeconfigFor("platform", await operatorAccount(server, "platform"));
});
afterEach(() => proxy.disarm());
afterAll(async () => {
  await golden[Symbol.asyncDispose]();
  await proxy.stop();
});

const start = () => golden.world.startOperator({ flags: ["--activation=always"], kubeconfig });
const isManaged = async ({ path }: Pick<Target, "path">) =>
  (await golden.read(path)).metadata?.labels?.[managedBy] === "virt-platform-operator";

/** Whoever asks for a list with one of these in it waits for its end. */
function withhold(paths: readonly string[]): void {
  for (const path of paths) {
    const [resource = "", name = ""] = path.split("/").slice(-2);
    const namespace = /\/namespaces\/([^/]+)\//.exec(path)?.[1];
    const of = { resource, name, ...(namespace !== undefined && { namespace }) };
    const trigger = { on: "request", number: 1, matching: { verb: "watch", resource } } as const;
    proxy.arm({ name: `late ${path}`, trigger, fault: { kind: "treat-frames", of, treatment: { do: "hold" } } });
  }
}

/** All objects without a rival are ours, and one of them is corrected: each was looked at. */
async function untilOthersAreKept(): Promise<void> {
  const others = golden.targets.filter(({ path }) => rivalries.every(({ ours }) => ours.path !== path));
  await golden.until(async () =>
    expect((await Promise.all(others.map(isManaged))).filter((isOurs) => !isOurs)).toEqual([]),
  );
  const [last] = others.filter(({ ref }) => ref.kind === "KubeDescheduler");
  if (last === undefined) throw new Error("nothing to look at");
  await golden.edit(last.path, { metadata: { labels: { [managedBy]: "nobody" } } });
  await golden.until(async () => expect(await isManaged(last)).toBe(true));
}

const present = async () => {
  const found = await Promise.all(rivalries.map(({ ours }) => isThere(golden, ours.path)));
  return rivalries.filter((_, at) => found[at]).map(({ ours }) => ours.name);
};

test("ours is not created before it is known that nobody else's is there", async () => {
  withhold(rivalries.map(({ first: { path, body } }) => `${path}/${body.metadata.name}`));
  operator = await start();
  await untilOthersAreKept();
  expect(await present()).toEqual([]);
  proxy.disarm();
  await expect.poll(() => timesTold(operator, yields)).toEqual(yields.map(() => 1));
  expect(await present()).toEqual([]);
});

test("ours does not count as missing before it is known that it is not there", async () => {
  for (const { first } of rivalries) await remove(golden, first);
  await golden.until(async () => expect(await present()).toHaveLength(rivalries.length));
  for (const { first } of rivalries) await create(golden, first);
  await operator.kill();
  withhold(rivalries.map(({ ours }) => ours.path));
  operator = await start();
  await untilOthersAreKept();
  expect(timesTold(operator, yields)).toEqual(yields.map(() => 0));
  proxy.disarm();
  await expect.poll(() => timesTold(operator, conflicts)).toEqual(conflicts.map(() => 1));
  expect(timesTold(operator, yields)).toEqual(yields.map(() => 0));
});
