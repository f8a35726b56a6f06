import type { Item, KubeObject, Phase, VirtPlatformConfig } from "@virt/api";
import { profiles } from "@virt/catalog";
import { kindInformer, poolInformer } from "@virt/cluster";
import { crdInformer, type InformerSpec } from "@virt/kube";
import { expect, test } from "vitest";
import { informersOf, targetInformer } from "./informers.ts";
import { isConcerned, reviewsBeside } from "./keys-for-change.ts";
import { configWith } from "./testing/config-with.ts";
import { listingProfile } from "./testing/listing-profile.ts";

const view = {
  wantedBy: (config: VirtPlatformConfig) =>
    informersOf(config, { profiles, hcoNamespace: "", version: "v2", find: () => undefined }),
};
const config = (action: "DryRun" | "Ignore", phase: Phase, kinds: readonly string[] = []): VirtPlatformConfig => {
  const items = kinds.map((kind) => ({ name: kind, targetRef: { apiVersion: "v1", kind, name: "one" } }) as Item);
  return configWith({ phase, items }, { action });
};
const concerned = (one: VirtPlatformConfig, spec: InformerSpec, key = "any") =>
  isConcerned(one, spec, key, { profiles, view });

test("no change concerns an ignored config", () => {
  const ignored = config("Ignore", "PrerequisiteFailed", ["MachineConfig"]);
  expect([crdInformer, poolInformer].map((spec) => concerned(ignored, spec))).toEqual([false, false]);
});

test("every CRD concerns a config with missing prerequisites, otherwise only its own", () => {
  expect(concerned(config("DryRun", "PrerequisiteFailed"), crdInformer, "some.example.com")).toBe(true);
  expect(concerned(config("DryRun", "Completed"), crdInformer, "some.example.com")).toBe(false);
  expect(concerned(config("DryRun", "Completed"), crdInformer, "kubedeschedulers.operator.openshift.io")).toBe(true);
});

test("a pool concerns configs with a MachineConfig in their plan", () => {
  expect(concerned(config("DryRun", "InProgress", ["MachineConfig"]), poolInformer)).toBe(true);
  expect(concerned(config("DryRun", "InProgress", ["ConfigMap"]), poolInformer)).toBe(false);
});

test("a target concerns only configs with it in their plan", () => {
  const ref = {
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "MachineConfig",
    name: "90-worker-kubelet-swap",
  };
  const planning = (name: string) => {
    const items = [{ name: "swap", targetRef: { ...ref, name } } as Item];
    return configWith({ phase: "Completed", items }, { action: "DryRun", profile: "virt-higher-density" });
  };
  expect(concerned(planning(ref.name), targetInformer(ref))).toBe(true);
  expect(concerned(planning(ref.name), targetInformer({ ...ref, name: "another" }))).toBe(false);
  const foreign = { ...ref, name: "00-not-of-this-profile" };
  expect(concerned(planning(foreign.name), targetInformer(foreign))).toBe(false);
});

test("an object of a kind that the profile reads concerns its configs", () => {
  const one = configWith({ phase: "PrerequisiteFailed" }, { action: "DryRun", profile: listingProfile.name });
  const wanting = { profiles: [listingProfile], hcoNamespace: "", version: "v2", find: () => undefined };
  const wantedBy = (each: VirtPlatformConfig) => informersOf(each, wanting);
  const policies = kindInformer("migrations.kubevirt.io/v1alpha1", "MigrationPolicy", [["spec", "selectors"]]);
  const sources = { profiles: [listingProfile], view: { wantedBy } };
  expect(isConcerned(one, policies, "any", sources)).toBe(true);
  expect(isConcerned(config("DryRun", "PrerequisiteFailed"), policies, "any", { profiles, view })).toBe(false);
});

test("a pool concerns a config whose earlier writes it rolls out", () => {
  const one = config("DryRun", "ReviewRequired", ["ConfigMap"]);
  const rollouts = [{ machineConfig: "99-worker-psi-karg", startTime: "2026-01-01T00:00:00Z", before: [] }];
  expect(concerned({ ...one, status: { ...one.status, rollouts } }, poolInformer)).toBe(true);
});

test("only a plan that starts or ends wakes other configs under review", () => {
  const beside = { ...config("DryRun", "ReviewRequired"), metadata: { name: "beside" } };
  const view = { configs: () => [beside, config("DryRun", "Completed")] };
  const targetRef = { apiVersion: "machineconfiguration.openshift.io/v1", kind: "MachineConfig", name: "one" };
  const items = [{ name: "one", targetRef, changes: true, state: "Pending" }];
  const status = { phase: "ReviewRequired", items, disruption: [{ pool: "worker", class: "Reboot" }] };
  const open = { ...config("DryRun", "ReviewRequired"), status };
  const asObject = (one: object) => one as unknown as KubeObject;
  expect(reviewsBeside({ key: "x", after: asObject(open) }, view)).toEqual(["beside"]);
  expect(reviewsBeside({ key: "x", before: asObject(open) }, view)).toEqual(["beside"]);
  const edited = asObject({ ...open, metadata: { ...open.metadata, labels: { note: "a" } } });
  expect(reviewsBeside({ key: "x", before: asObject(open), after: edited }, view)).toEqual([]);
});
