import type { Item, Status, VirtPlatformConfig } from "@virt/api";
import type { ClusterReader, ReadResult } from "@virt/kube";
import { expect, test } from "vitest";
import { OwnStatuses } from "./own-statuses.ts";
import { configWith } from "./testing/config-with.ts";

const name = "load-aware-rebalancing";
const config = (status: Status, resourceVersion = "7", uid = "u1"): VirtPlatformConfig => ({
  ...configWith(status),
  metadata: { name, uid, resourceVersion },
});
const item = { name: "psi", diff: "--- a\n" } as Item;
const own: Status = { phase: "ReviewRequired", planHash: "a", items: [item] };
const stored = (resourceVersion: string): ClusterReader => ({
  read: () => Promise.resolve({ kind: "found", object: config({}, resourceVersion) } as unknown as ReadResult),
});

function remembering(status: Status): OwnStatuses {
  const statuses = new OwnStatuses();
  statuses.remember(config(status));
  return statuses;
}

test("recognizes its own status after the spec changed", async () => {
  expect(await remembering(own).recognize(config({ ...own }, "9"), stored("9"))).toMatchObject({ statusOrigin: "own" });
});

test("a status from an earlier process or another object is unknown", async () => {
  expect(await new OwnStatuses().recognize(config(own), stored("7"))).toMatchObject({ statusOrigin: "unknown" });
  const another = await remembering(own).recognize(config(own, "7", "u2"), stored("7"));
  expect(another).toMatchObject({ statusOrigin: "unknown" });
});

test("names each field that another client changed", async () => {
  const changed = { ...own, planHash: "b", items: [{ ...item, diff: "" }] };
  expect(await remembering(own).recognize(config(changed), stored("7"))).toEqual({
    kind: "foreign",
    own,
    change: "planHash, items/psi/diff",
  });
});

test("a stale cache does not count as a foreign write", async () => {
  expect(await remembering(own).recognize(config({}), stored("8"))).toEqual({ kind: "outdated" });
});

test("knows no status during a write or after a leader change", async () => {
  const statuses = remembering(own);
  const restore = statuses.suspend(name);
  expect(statuses.knows(name)).toBe(false);
  restore();
  expect(statuses.knows(name)).toBe(true);
  statuses.forgetAll();
  expect(await statuses.recognize(config({}), stored("7"))).toMatchObject({ statusOrigin: "unknown" });
});

test("recognizes its own write after a lost response and a stale cache", async () => {
  const statuses = remembering(own);
  const written = { ...own, phase: "InProgress" } as const;
  statuses.suspend(name);
  statuses.rememberUnanswered(config(own), written);
  statuses.remember(config(own)); // the cache still shows the old status
  expect(await statuses.recognize(config(written, "8"), stored("8"))).toMatchObject({ statusOrigin: "own" });
  expect(await statuses.recognize(config(own, "9"), stored("9"))).toMatchObject({ kind: "foreign", own: written });
});
