import type { KubeObject } from "@virt/api";
import type { InformerState } from "@virt/kube";
import { expect, test } from "vitest";
import { AutopilotPresence } from "./autopilot-presence.ts";

const theirs = "virt-platform-autopilot";
const startMs = Date.parse("2030-01-01T00:00:00Z");
const hco = (value?: string): KubeObject => ({
  apiVersion: "hco.kubevirt.io/v1",
  kind: "HyperConverged",
  metadata: {
    name: "kubevirt-hyperconverged",
    namespace: "openshift-cnv",
    annotations: value === undefined ? {} : { "platform.kubevirt.io/autopilot": value },
  },
});
const deployment = (namespace = "openshift-cnv"): KubeObject => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: theirs, namespace },
  spec: { replicas: 1 },
});

function presenceOf(items: readonly KubeObject[], given: Partial<InformerState> = {}) {
  let seconds = 0;
  const informer = { state: "synced", store: { items: () => items }, ...given } as unknown as InformerState;
  const clock = { wall: () => startMs + seconds * 1_000, monotonic: () => 500 + seconds * 1_000 };
  const presence = new AutopilotPresence({ find: () => informer, hcoNamespace: "", clock });
  return { presence, wait: (by: number) => void (seconds += by) };
}

test("only a Deployment next to the HyperConverged counts", () => {
  expect(presenceOf([deployment()]).presence.observe(hco()).state).toBe("Active");
  expect(presenceOf([deployment("elsewhere")]).presence.observe(hco()).state).toBe("Absent");
});

test("without a HyperConverged, any Deployment counts", () => {
  expect(presenceOf([deployment("elsewhere")]).presence.observe(undefined).state).toBe("Active");
  expect(presenceOf([]).presence.observe(undefined).state).toBe("Absent");
});

test("counts as active while the Deployment cannot be read", () => {
  expect(presenceOf([], { state: "starting" }).presence.observe(hco("false")).state).toBe("Active");
  expect(presenceOf([], { lastError: "403" }).presence.observe(hco("false")).state).toBe("Active");
});

test("is off after 30 seconds without a write, and reports when that is", () => {
  const { presence, wait } = presenceOf([deployment()]);
  expect(presence.observe(hco("false"))).toEqual({ state: "Active", dueMs: startMs + 30_000 });
  wait(20);
  const time = new Date(startMs + 20_000).toISOString();
  const managedFields = [{ manager: theirs, operation: "Apply", time, fieldsV1: {} }];
  const written = { ...hco(), metadata: { name: "any", managedFields } } as KubeObject;
  presence.noticeChange(written);
  wait(10);
  expect(presence.observe(hco("false"))).toEqual({ state: "Active", dueMs: startMs + 50_000 });
  wait(20);
  expect(presence.observe(hco("false"))).toEqual({ state: "Off" });
});
