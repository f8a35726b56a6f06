import type { Impact, Item, VirtPlatformConfig } from "@virt/api";
import { profiles } from "@virt/catalog";
import { poolInformer, vmNodeInformer } from "@virt/cluster";
import type { InformerSpec, InformerState } from "@virt/kube";
import { expect, test } from "vitest";
import { advisorHcoInformers, informersOf, isImpactFollowed, targetInformer } from "./informers.ts";

const configOf = (profile: string, given: Partial<VirtPlatformConfig["spec"]> = {}, items: readonly Item[] = []) => ({
  apiVersion: "advisor.kubevirt.io/v1alpha1",
  kind: "VirtPlatformConfig",
  metadata: { name: profile },
  spec: {
    profile,
    action: "DryRun" as const,
    failurePolicy: "Abort" as const,
    bypassOptimisticLock: false,
    ...given,
  },
  status: { items },
});
const stateOf = (state: InformerState["state"]) => () => ({ state }) as InformerState;
const kindsOf = (specs: readonly InformerSpec[]) => specs.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`);
const watching = (
  config: VirtPlatformConfig,
  find: (spec: InformerSpec) => InformerState | undefined = () => undefined,
) => informersOf(config, { profiles, hcoNamespace: "", find, version: "v2" });

test("a config that is ignored, or whose profile this build does not know, is not a reason to watch anything", () => {
  expect(watching(configOf("load-aware-rebalancing", { action: "Ignore" }))).toEqual([]);
  expect(watching(configOf("of-another-build"))).toEqual([]);
});

test("what a profile reads is watched: the HyperConverged, the pools that it rolls out to, and its target by name", () => {
  const wanted = watching(configOf("load-aware-rebalancing"));
  expect(kindsOf(wanted)).toEqual(
    expect.arrayContaining(["hco.kubevirt.io/v1 HyperConverged", "operator.openshift.io/v1 KubeDescheduler"]),
  );
  expect(wanted).toContainEqual(poolInformer);
  expect(wanted.find(({ kind }) => kind === "KubeDescheduler")).toMatchObject({ name: "cluster" });
});

test("the older version of the HyperConverged is watched where the newer one is not served, and only there", () => {
  const versions = (state: InformerState["state"]) =>
    watching(configOf("load-aware-rebalancing"), stateOf(state))
      .filter(({ kind }) => kind === "HyperConverged")
      .map(({ apiVersion }) => apiVersion);
  expect(versions("synced")).toEqual(["hco.kubevirt.io/v1"]);
  expect(versions("starting")).toEqual(["hco.kubevirt.io/v1"]);
  expect(versions("not served")).toEqual(["hco.kubevirt.io/v1", "hco.kubevirt.io/v1beta1"]);
});

test("the targets of a stored plan are watched by name", () => {
  const targetRef = { apiVersion: "v1", kind: "ConfigMap", name: "example-config", namespace: "openshift-cnv" };
  const item = { name: "configure-example-component", targetRef } as Item;
  expect(watching(configOf("example-profile", {}, [item]))).toContainEqual(targetInformer(targetRef));
});

test("of a target spec, data and annotations are kept and its status is not; of a MachineConfig everything, as its owners decide about deletion", () => {
  const ref = { apiVersion: "machineconfiguration.openshift.io/v1", kind: "MachineConfig", name: "99-worker-psi-karg" };
  expect(targetInformer(ref).projection).toEqual({ keep: "all" });
  const { projection } = targetInformer({ apiVersion: "v1", kind: "ConfigMap", name: "one", namespace: "two" });
  const parts = expect.arrayContaining([["spec"], ["data"], ["metadata", "annotations"]]) as readonly string[][];
  expect(projection).toEqual({ keep: "parts", parts });
  expect(JSON.stringify(projection)).not.toContain("status");
});

test("the HyperConverged is looked for in all namespaces", () => {
  for (const spec of advisorHcoInformers()) expect(spec).not.toHaveProperty("namespace");
});

test("nodes are watched while a plan is made or executed, and longer only where the profile reports on them", () => {
  const isWatched = (profile: string, status: VirtPlatformConfig["status"]) =>
    watching({ ...configOf(profile), ...(status && { status }) }).includes(vmNodeInformer);
  const at = (profile: string) => [
    isWatched(profile, undefined),
    isWatched(profile, { phase: "InProgress", operatorVersion: "v2" }),
    isWatched(profile, { phase: "Completed", operatorVersion: "v2" }),
    isWatched(profile, { phase: "Completed", operatorVersion: "v1" }),
  ];
  expect(at("load-aware-rebalancing")).toEqual([true, true, false, true]);
  expect(at("virt-higher-density")).toEqual([true, true, true, true]);
  expect(at("example-profile")).toEqual([false, false, false, false]);
});

test("the impact of a plan that runs is followed until all lists of it are in", () => {
  const machineConfig = { apiVersion: "machineconfiguration.openshift.io/v1", kind: "MachineConfig", name: "99-a" };
  const item = { name: "a", changes: true, targetRef: machineConfig } as Item;
  const isFollowed = (gaps?: readonly string[]) => {
    const impact = gaps && ({ notAssessed: gaps.map((reason) => ({ what: "VMs", reason })) } as unknown as Impact);
    const status = { phase: "InProgress", items: [item], ...(impact && { impact }) } as const;
    return isImpactFollowed({ ...configOf("load-aware-rebalancing"), status });
  };
  expect([isFollowed(), isFollowed(["Listing"]), isFollowed(["Forbidden"]), isFollowed([])]).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
