import type { KubeObject } from "@virt/api";
import { vmInformer } from "@virt/cluster";
import type { InformerState } from "@virt/kube";
import { expect, test } from "vitest";
import { InformerLists } from "./informer-lists.ts";

const vm: KubeObject = { apiVersion: "kubevirt.io/v1", kind: "VirtualMachineInstance", metadata: { name: "a" } };
type ObservedInformer = {
  readonly state: InformerState["state"];
  readonly lastError?: string;
  readonly isTooLarge?: boolean;
};
const listed = { isAssessed: true, value: [vm] };

function listsOf(first: ObservedInformer) {
  const informer: { now: ObservedInformer } = { now: first };
  const store = { notifiedItems: [vm] };
  const lists = new InformerLists(() => ({ isTooLarge: false, store, ...informer.now }) as unknown as InformerState);
  return { informer, lists, at: (seconds: number) => lists.list(vmInformer, seconds * 1000) };
}

test.each(["429 Too Many Requests", "503 Service Unavailable"])(
  "keeps a list for a minute while its watch fails with %s",
  (lastError) => {
    const { informer, lists, at } = listsOf({ state: "synced" });
    expect(at(0)).toEqual(listed);
    informer.now = { state: "synced", lastError };
    expect(at(1)).toEqual(listed);
    expect(lists.patientUntil).toBe(61_000);
    expect(at(60)).toEqual(listed);
    expect(at(61)).toMatchObject({ reason: "Unavailable", message: lastError });
    expect(lists.patientUntil).toBeUndefined();
    informer.now = { state: "synced" };
    expect(at(62)).toEqual(listed);
    informer.now = { state: "synced", lastError };
    expect(at(120)).toEqual(listed);
  },
);

test("a version without an informer does not extend another version's minute", () => {
  const [newer, older] = [
    { ...vmInformer, apiVersion: "kubevirt.io/v2" },
    { ...vmInformer, apiVersion: "kubevirt.io/v1" },
  ];
  const store = { notifiedItems: [vm] };
  const failing = { state: "synced", store, isTooLarge: false, lastError: "503 Service Unavailable" };
  const lists = new InformerLists((spec) => (spec === newer ? (failing as unknown as InformerState) : undefined));
  for (const seconds of [0, 30, 60]) {
    const list = lists.list(newer, seconds * 1000);
    expect(list.isAssessed).toBe(seconds < 60);
    expect(lists.list(older, seconds * 1000)).toMatchObject({ reason: "Listing" });
  }
});

test("a failing first list is pending for a minute, then unavailable", () => {
  const { at } = listsOf({ state: "starting", lastError: "500 Internal Server Error" });
  expect(at(0)).toMatchObject({ reason: "Listing" });
  expect(at(60)).toMatchObject({ reason: "Unavailable" });
});

test.each([
  { seen: { state: "synced", lastError: "403 Forbidden" }, reason: "Forbidden" },
  { seen: { state: "synced", lastError: "too large", isTooLarge: true }, reason: "TooMany" },
  { seen: { state: "not served" }, reason: "NotServed" },
  { seen: { state: "starting" }, reason: "Listing" },
] as const)("$seen.state with $seen.lastError is $reason at once", ({ seen, reason }) => {
  expect(listsOf(seen).at(0)).toMatchObject({ isAssessed: false, reason });
});
