import type { JsonMap } from "@virt/api";
import { asList, at } from "@virt/engine";
import { type FaultProxy, startFaultProxy } from "@virt/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { operatorAccount } from "../../world/account.ts";
import type { RunningProgram } from "../../world/program.ts";
import { type Golden, startGolden, type Target, untilConverged } from "./golden.ts";

const resource = "machineconfigpools";
const kubelet = "/apis/machineconfiguration.openshift.io/v1/kubeletconfigs/virt-perf-settings";
const check = "/apis/remediation.medik8s.io/v1alpha1/nodehealthchecks/virt-node-health-check";
const managedBy = "platform.kubevirt.io/managed-by";
const note =
  /^Input MachineConfigPool (worker|master) unavailable, assets keep their last state: 403: forbidden: refused by the fault proxy$/;
let golden: Golden;
let proxy: FaultProxy;
let operator: RunningProgram;
/** Their assets read pools. */
let held: readonly Target[];

beforeAll(async () => {
  golden = await startGolden();
  const { server } = golden.world;
  proxy = await startFaultProxy({ server });
  const kubeconfig = proxy.kubeconfigFor("platform", await operatorAccount(server, "platform"));
  const start = () => golden.world.startOperator({ flags: ["--activation=always"], kubeconfig });
  held = golden.targets.filter(({ ref }) => /perf-settings|pci-passthrough|psi-karg/.test(ref.name));
  operator = await start();
  await untilConverged(golden);
  await operator.kill();
  await golden.edit(kubelet, { spec: { kubeletConfig: { maxPods: 42 } } });
  const trigger = { on: "every", matching: { verb: "watch", resource } } as const;
  proxy.arm({ name: "pools are forbidden", trigger, fault: { kind: "answer", status: 403 } });
  operator = await start();
});
afterAll(async () => {
  await golden[Symbol.asyncDispose]();
  await proxy.stop();
});

const maxPods = async () => at(await golden.read(kubelet), "spec", "kubeletConfig", "maxPods");
const asked = () => held.flatMap(({ path }) => golden.requests(path).map(({ requestURI }) => requestURI));
const timesTold = () => operator.log.filter(({ msg }) => note.test(msg ?? "")).length;

async function events(): Promise<readonly JsonMap[]> {
  const { body } = await golden.world.server.request({ path: "/apis/events.k8s.io/v1/events" });
  const all = asList(at(body as JsonMap, "items")) as readonly JsonMap[];
  return all.filter((event) => event["reason"] === "InputUnavailable");
}

async function untilCorrected(path: string): Promise<void> {
  await golden.edit(path, { metadata: { labels: { [managedBy]: "nobody" } } });
  await golden.until(async () =>
    expect((await golden.read(path)).metadata.labels?.[managedBy]).toBe("virt-platform-operator"),
  );
}

/**
 * Nobody asks again for half a minute after so many refusals: what is asked next gets its answer when the proxy is
 * disarmed, and nobody has to wait for that.
 */
async function leaveUnanswered(): Promise<void> {
  const refusals = () => proxy.trace().filter((one) => one.resource === resource && one.told === 403).length;
  await expect.poll(refusals).toBe(2 * 9); // pools of workers and of masters
  proxy.disarm();
  const trigger = { on: "request", number: 1, matching: { verb: "watch", resource } } as const;
  const fault = { kind: "treat-frames", of: { resource }, treatment: { do: "hold" } } as const;
  proxy.arm({ name: "pools are not answered", trigger, fault });
}

test("what cannot be made for want of an input is held as it is after a start, and all else is kept", async () => {
  const before = asked();
  await untilCorrected(check);
  expect(await maxPods()).toBe(42);
  expect(asked()).toEqual(before);
});

test("an input that cannot be read for a minute is told for each object that waits for it, and nothing is done to them", async () => {
  const before = asked();
  await leaveUnanswered();
  expect(await events()).toEqual([]);
  const told = held.map(({ ref: { kind, name } }) => ({
    type: "Warning",
    note: expect.stringMatching(note),
    related: expect.objectContaining({ kind, name }),
  }));
  await golden.untilLong(async () => expect(await events()).toHaveLength(held.length));
  expect(await events()).toEqual(expect.arrayContaining(told.map((one) => expect.objectContaining(one))));
  await untilCorrected(check);
  expect(await maxPods()).toBe(42);
  expect(asked()).toEqual(before);
});

test("once the input can be read everything is kept again, and nothing is told twice", async () => {
  proxy.disarm();
  await golden.until(async () => expect(await maxPods()).toBe(500));
  for (const { path } of held) await untilCorrected(path);
  expect(timesTold()).toBe(held.length);
  expect((await events()).map((event) => event["series"])).toEqual(held.map(() => undefined));
});
