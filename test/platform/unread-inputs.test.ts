// @module-tag thorough

import type { JsonMap } from "@virt/api";
import { asList, asText, at } from "@virt/objects";
import { beforeAll, expect, test } from "vitest";
import { type ManagedTarget } from "../support/full-cluster.ts";
import { objectPaths, sharePlatform } from "../support/running-platform.ts";

const { kubelet, check } = objectPaths;
const resource = "machineconfigpools";
const note =
  /^Input MachineConfigPool (worker|master) is unavailable; assets keep their last state: 403: forbidden: refused by the fault proxy$/;
let held: readonly ManagedTarget[];
const platform = sharePlatform({ isProxied: true });
beforeAll(async () => {
  held = platform.targets.filter(({ ref }) => /perf-settings|pci-passthrough|psi-karg/.test(ref.name));
  await platform.operator.kill();
  await platform.edit(kubelet, { spec: { kubeletConfig: { maxPods: 42 } } });
  refusePools(500);
  await platform.start();
});

function refusePools(status: 403 | 500): void {
  const trigger = { on: "every", matching: { verb: "watch", resource } } as const;
  platform.proxy.arm({ name: `pools are refused with ${status}`, trigger, fault: { kind: "answer", status } });
}

const maxPods = () => platform.specOf(kubelet, "kubeletConfig", "maxPods");
const asked = () => held.flatMap(({ path }) => platform.requests(path).map(({ requestURI }) => requestURI));
const countReports = () => platform.operator.log.filter(({ msg }) => note.test(msg ?? "")).length;

/** Returns events of the latest reason, because a slow machine can report earlier ones too. */
async function events(): Promise<readonly JsonMap[]> {
  const { body } = await platform.testCluster.server.request({ path: "/apis/events.k8s.io/v1/events" });
  const all = asList(at(body as JsonMap, "items")) as readonly JsonMap[];
  return all.filter((event) => event["reason"] === "InputUnavailable" && note.test(asText(event["note"]) ?? ""));
}

test("after a start, blocks only the objects with an unread input", async () => {
  const before = asked();
  await platform.untilCorrected(check);
  expect(await maxPods()).toBe(42);
  expect(asked()).toEqual(before);
});

test("reports an input unread for a minute for each waiting object", async () => {
  const before = asked();
  expect(await events()).toEqual([]);
  platform.proxy.disarm(); // rearmed before any request arrives
  refusePools(403);
  const reports = held.map(({ ref: { kind, name } }) => ({
    type: "Warning",
    note: expect.stringMatching(note),
    related: expect.objectContaining({ kind, name }),
  }));
  await platform.untilLong(async () => expect(await events()).toHaveLength(held.length));
  expect(await events()).toEqual(expect.arrayContaining(reports.map((one) => expect.objectContaining(one))));
  await platform.untilCorrected(check);
  expect(await maxPods()).toBe(42);
  expect(asked()).toEqual(before);
});

test("reconciles everything once the input is read, without repeated reports", async () => {
  platform.proxy.disarm();
  await platform.untilLong(async () => expect(await maxPods()).toBe(500)); // the operator retries after a backoff
  for (const { path } of held) await platform.untilCorrected(path);
  expect(countReports()).toBe(held.length);
  expect((await events()).map((event) => event["series"])).toEqual(held.map(() => undefined));
});
