import { deletableKinds } from "@virt/advisor";
import type { Impact, Item, Status, VirtPlatformConfig } from "@virt/api";
import { profiles } from "@virt/catalog";
import { autopilotInformer, poolInformer, vmNodeInformer } from "@virt/cluster";
import type { InformerSpec, InformerState } from "@virt/kube";
import { expect, test } from "vitest";
import { advisorHcoInformers, informersOf, isImpactFollowed, targetInformer } from "./informers.ts";
import { configWith } from "./testing/config-with.ts";
import { listingProfile } from "./testing/listing-profile.ts";

const configOf = (profile: string, status: Status = {}) => configWith(status, { profile, action: "DryRun" });
const stateOf = (state: InformerState["state"]) => () => ({ state }) as InformerState;
const kindsOf = (specs: readonly InformerSpec[]) => specs.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`);
const unknown = () => undefined;
const watching = (config: VirtPlatformConfig, find: (spec: InformerSpec) => InformerState | undefined = unknown) =>
  informersOf(config, { profiles, hcoNamespace: "", find, version: "v2" });

test("watches nothing for an ignored config or an unknown profile", () => {
  expect(watching(configWith({}, { action: "Ignore" }))).toEqual([]);
  expect(watching(configOf("of-another-build"))).toEqual([]);
});

test("watches the HyperConverged, pools and named target of a profile", () => {
  const wanted = watching(configOf("load-aware-rebalancing"));
  expect(kindsOf(wanted)).toEqual(
    expect.arrayContaining(["hco.kubevirt.io/v1 HyperConverged", "operator.openshift.io/v1 KubeDescheduler"]),
  );
  expect(wanted).toContainEqual(poolInformer);
  expect(wanted.find(({ kind }) => kind === "KubeDescheduler")).toMatchObject({ name: "cluster" });
});

test("watches the older HyperConverged version only if the newer is not served", () => {
  const versions = (state: InformerState["state"]) =>
    watching(configOf("load-aware-rebalancing"), stateOf(state))
      .filter(({ kind }) => kind === "HyperConverged")
      .map(({ apiVersion }) => apiVersion);
  expect(versions("synced")).toEqual(["hco.kubevirt.io/v1"]);
  expect(versions("starting")).toEqual(["hco.kubevirt.io/v1"]);
  expect(versions("not served")).toEqual(["hco.kubevirt.io/v1", "hco.kubevirt.io/v1beta1"]);
});

test("watches the targets of a stored plan by name", () => {
  const targetRef = { apiVersion: "v1", kind: "ConfigMap", name: "example-config", namespace: "openshift-cnv" };
  const item = { name: "configure-example-component", targetRef } as Item;
  expect(watching(configOf("example-profile", { items: [item] }))).toContainEqual(targetInformer(targetRef));
});

test("watches all objects of a kind that a profile reads, trimmed to its parts", () => {
  const wanted = informersOf(configOf("lists"), {
    profiles: [listingProfile],
    hcoNamespace: "",
    find: unknown,
    version: "v2",
  });
  expect(wanted).toEqual([
    autopilotInformer(""),
    {
      apiVersion: "migrations.kubevirt.io/v1alpha1",
      kind: "MigrationPolicy",
      projection: { keep: "parts", parts: [["spec", "selectors"]] },
    },
  ]);
});

test("keeps all of a MachineConfig, but no status of other targets", () => {
  const ref = { apiVersion: "machineconfiguration.openshift.io/v1", kind: "MachineConfig", name: "99-worker-psi-karg" };
  expect(targetInformer(ref).projection).toEqual({ keep: "all" });
  const { projection } = targetInformer({ apiVersion: "v1", kind: "ConfigMap", name: "one", namespace: "two" });
  const parts = expect.arrayContaining([["spec"], ["data"], ["metadata", "annotations"]]) as readonly string[][];
  expect(projection).toEqual({ keep: "parts", parts });
  expect(JSON.stringify(projection)).not.toContain("status");
});

test("keeps the owners of every kind that a plan may delete", () => {
  const keptOf = (kind: string) => targetInformer({ apiVersion: "any.example.com/v1", kind, name: "one" }).projection;
  const kinds = [...deletableKinds].filter((kind) => kind !== "MachineConfig");
  for (const kind of kinds)
    expect(keptOf(kind)).toMatchObject({
      parts: expect.arrayContaining([["metadata", "managedFields"]]) as string[][],
    });
  expect(JSON.stringify(keptOf("ConfigMap"))).not.toContain("managedFields");
});

test("watches the HyperConverged in all namespaces", () => {
  for (const spec of advisorHcoInformers()) expect(spec).not.toHaveProperty("namespace");
});

test("watches nodes after a plan only if the profile reports on them", () => {
  const isWatched = (profile: string, status?: Status) => watching(configOf(profile, status)).includes(vmNodeInformer);
  const at = (profile: string) => [
    isWatched(profile),
    isWatched(profile, { phase: "InProgress", operatorVersion: "v2" }),
    isWatched(profile, { phase: "Completed", operatorVersion: "v2" }),
    isWatched(profile, { phase: "Completed", operatorVersion: "v1" }),
  ];
  expect(at("load-aware-rebalancing")).toEqual([true, true, false, true]);
  expect(at("virt-higher-density")).toEqual([true, true, true, true]);
  expect(at("example-profile")).toEqual([false, false, false, false]);
});

test("follows the impact of a running plan until its lists are complete", () => {
  const machineConfig = { apiVersion: "machineconfiguration.openshift.io/v1", kind: "MachineConfig", name: "99-a" };
  const item = { name: "a", changes: true, targetRef: machineConfig } as Item;
  const isFollowed = (gaps?: readonly string[]) => {
    const impact = gaps && ({ notAssessed: gaps.map((reason) => ({ what: "VMs", reason })) } as unknown as Impact);
    const status = { phase: "InProgress", items: [item], ...(impact && { impact }) } as const;
    return isImpactFollowed(configOf("load-aware-rebalancing", status));
  };
  expect([isFollowed(), isFollowed(["Listing"]), isFollowed(["Forbidden"]), isFollowed([])]).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
