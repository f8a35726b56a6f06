import type { KubeObject } from "@virt/api";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  chooseHyperConverged,
  findHyperConverged,
  hcoInformers,
  hyperConvergedElsewhere,
  severalHyperConvergeds,
  wantedHcoInformers,
} from "./hyperconverged.ts";
import type { CachedList } from "./informers.ts";

const hcoIn = (namespace: string): KubeObject => ({
  apiVersion: "hco.kubevirt.io/v1",
  kind: "HyperConverged",
  metadata: { name: "kubevirt-hyperconverged", namespace },
});
const cases: readonly { reason: string; there: readonly string[]; pinned?: string; chosen: string }[] = [
  { reason: "chooses none if there is none", there: [], chosen: "none" },
  { reason: "chooses the only one in any namespace", there: ["mine"], chosen: "mine" },
  { reason: "ignores one in another namespace", there: ["aaa", "openshift-cnv"], chosen: "openshift-cnv" },
  {
    reason: "prefers openshift-cnv to kubevirt-hyperconverged",
    there: ["kubevirt-hyperconverged", "openshift-cnv"],
    chosen: "openshift-cnv",
  },
  {
    reason: "prefers kubevirt-hyperconverged to other namespaces",
    there: ["aaa", "kubevirt-hyperconverged"],
    chosen: "kubevirt-hyperconverged",
  },
  { reason: "chooses none of several in other namespaces", there: ["aaa", "bbb"], chosen: "several" },
  {
    reason: "prefers the pinned namespace to the usual one",
    there: ["mine", "openshift-cnv"],
    pinned: "mine",
    chosen: "mine",
  },
  { reason: "chooses none if the pinned one is missing", there: ["openshift-cnv"], pinned: "mine", chosen: "none" },
];

test.each(cases)("$reason", ({ there, pinned = "", chosen }) => {
  const result = chooseHyperConverged(there.map(hcoIn), pinned);
  expect(result.kind === "found" ? result.object.metadata.namespace : result.kind).toBe(chosen);
});

test("further objects in any order do not change a usual choice", () => {
  const others = fc.array(fc.constantFrom("aaa", "kubevirt-hyperconverged", "zzz"), { maxLength: 4 });
  const law = fc.property(others, fc.nat(), (namespaces, at) => {
    const listed = namespaces.map(hcoIn);
    listed.splice(at % (listed.length + 1), 0, hcoIn("openshift-cnv"));
    const chosen = chooseHyperConverged(listed, "");
    return chosen.kind === "found" && chosen.object.metadata.namespace === "openshift-cnv";
  });
  fc.assert(law);
});

test("reports the namespaces of others if the pinned one is missing", () => {
  const result = chooseHyperConverged([hcoIn("kubevirt-hyperconverged")], "openshift-cnv");
  expect(result).toEqual({ kind: "none", elsewhere: [hcoIn("kubevirt-hyperconverged")] });
  expect(hyperConvergedElsewhere([hcoIn("kubevirt-hyperconverged")], "openshift-cnv")).toBe(
    "HyperConverged not found in namespace openshift-cnv (set by --hco-namespace); it is in kubevirt-hyperconverged. Remove --hco-namespace, or set it to that namespace",
  );
});

test("reports only the first namespaces", () => {
  expect(severalHyperConvergeds(["b", "a"].map(hcoIn))).toBe(
    "More than one HyperConverged found, in namespaces a, b; set --hco-namespace",
  );
  const many = Array.from({ length: 300 }, (_, at) => hcoIn(`n${at}`));
  expect(severalHyperConvergeds(many)).toMatch(/and 295 more; set --hco-namespace$/);
});

const informers = hcoInformers("", { keep: "metadata" });
const cached = (state: CachedList["state"], ...items: readonly KubeObject[]): CachedList => ({
  state,
  store: { items: () => items },
});
const synced = cached("synced", hcoIn("openshift-cnv"));
type Caches = { readonly v1?: CachedList; readonly v1beta1?: CachedList };
const finder =
  (caches: Caches) =>
  ({ apiVersion }: { readonly apiVersion: string }) =>
    caches[apiVersion.endsWith("/v1") ? "v1" : "v1beta1"];

const searches: readonly { reason: string; caches: Caches; kind: string; wanted: number; apiVersion?: string }[] = [
  { reason: "is starting before an informer runs", caches: {}, kind: "starting", wanted: 1 },
  { reason: "is starting before the first list", caches: { v1: cached("starting") }, kind: "starting", wanted: 1 },
  {
    reason: "uses the newest served version",
    caches: { v1: synced, v1beta1: cached("synced") },
    kind: "found",
    wanted: 1,
    apiVersion: "hco.kubevirt.io/v1",
  },
  {
    reason: "uses the older version if the newer one is not served",
    caches: { v1: cached("not served"), v1beta1: synced },
    kind: "found",
    wanted: 2,
    apiVersion: "hco.kubevirt.io/v1beta1",
  },
  {
    reason: "waits for a newer version that is served now",
    caches: { v1: cached("starting"), v1beta1: synced },
    kind: "starting",
    wanted: 1,
  },
  {
    reason: "finds none if no version is served",
    caches: { v1: cached("not served"), v1beta1: cached("not served") },
    kind: "none",
    wanted: 2,
  },
];
test.each(searches)("$reason", ({ caches, kind, wanted, apiVersion }) => {
  const found = findHyperConverged(informers, finder(caches), "");
  expect(found).toMatchObject({ kind, ...(apiVersion && { apiVersion }) });
  expect(wantedHcoInformers(informers, finder(caches))).toHaveLength(wanted);
});
