// All surfaces name the same manager for every object, in random clusters with virt-platform-autopilot.

import { autopilotName, fieldManagers, type Json, type JsonMap, type KubeObject } from "@virt/api";
import { assets, autopilotObjects } from "@virt/catalog";
import { type AutopilotState, autopilotStates } from "@virt/cluster";
import { Registry } from "@virt/kube";
import {
  buildClusterFacts,
  type ClusterFacts,
  exclusionsOf,
  explainAsset,
  lookupIn,
  managedObjects,
  objectName,
  objectRow,
  type Preview,
  placesIn,
  previewObject,
  renderEntries,
  reportObject,
  rowsOf,
  yieldedTo,
} from "@virt/platform";
import { runsForCost } from "@virt/testkit/law-runs";
import { assetStateRows, platformOperators } from "@virt/views";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readReport } from "../../apps/console/src/pages/data/report.ts";
import { platformMetrics } from "../../apps/operator/src/platform/metrics.ts";

const prefix = "platform.kubevirt.io/";
const ownNamespace = "virt-platform-operator-system";
const time = "2026-01-01T00:00:00Z";
const crds: readonly KubeObject[] = assets.flatMap(({ target: { crd, apiVersion, kind } }) =>
  crd === undefined ? [] : [crdOf(crd, apiVersion, kind)],
);

/** Keeps all fields of a kind. */
function crdOf(crd: string, apiVersion: string, kind: string): KubeObject {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  const [group = "", version = ""] = apiVersion.split("/");
  const versions = [{ name: version, served: true, storage: true, schema }];
  const spec = { group, names: { kind, plural: crd.split(".")[0] ?? "" }, versions };
  return { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata: { name: crd }, spec };
}

/** The traces on an object of the catalog. `absent`: it does not exist. */
type Trace = {
  readonly isThere: boolean;
  readonly label: "none" | "ours" | "theirs" | "gitops";
  readonly isTheirField: boolean;
  readonly mode: string | undefined;
  readonly isGovernorUs: boolean;
  readonly isPaused: boolean;
};
type RandomCluster = {
  readonly state: AutopilotState;
  readonly isActive: boolean;
  readonly switches: Readonly<Record<string, string>>;
  readonly traces: Readonly<Record<string, Trace>>;
  readonly governed: readonly string[];
};

const anyTrace: fc.Arbitrary<Trace> = fc.record({
  isThere: fc.boolean(),
  label: fc.constantFrom("none", "ours", "theirs", "theirs", "gitops"),
  isTheirField: fc.boolean(),
  mode: fc.constantFrom(undefined, undefined, undefined, "unmanaged", "Unmanaged"),
  isGovernorUs: fc.boolean(),
  isPaused: fc.boolean(),
});
const switchKeys = [
  ...new Set([
    ...autopilotObjects.flatMap(({ appliedWith }) => (appliedWith === "always" ? [] : [appliedWith])),
    ...assets.flatMap((asset) =>
      asset.switch !== undefined && "annotation" in asset.switch ? [asset.switch.annotation] : [],
    ),
  ]),
];
const targets = [...new Set(assets.map(({ target: { kind, name } }) => `${kind} ${name}`))];
const anyCluster: fc.Arbitrary<RandomCluster> = fc.record({
  state: fc.oneof({ weight: 3, arbitrary: fc.constant("Active" as const) }, fc.constantFrom(...autopilotStates)),
  isActive: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false)),
  switches: fc.dictionary(fc.constantFrom(...switchKeys), fc.constantFrom("true", "true", "false", "maybe")),
  traces: fc.dictionary(fc.constantFrom(...targets), anyTrace, { maxKeys: targets.length }),
  governed: fc.subarray(["KubeDescheduler cluster", "MachineConfig 50-virt-swap-enable"]),
});

const hyperConverged = (cluster: RandomCluster): KubeObject => {
  const annotations = Object.fromEntries(
    Object.entries(cluster.switches).map(([key, value]) => [`${prefix}${key}`, value]),
  );
  return {
    apiVersion: "hco.kubevirt.io/v1beta1",
    kind: "HyperConverged",
    metadata: {
      name: "kubevirt-hyperconverged",
      namespace: "openshift-cnv",
      annotations: { ...annotations, [`${prefix}virt-platform-operator`]: `${cluster.isActive}` },
      ...marksOf(cluster.traces["HyperConverged kubevirt-hyperconverged"]),
    },
    spec: {},
  };
};

function marksOf(trace: Trace | undefined): { labels?: Record<string, string>; managedFields?: JsonMap[] } {
  if (trace === undefined) return {};
  const values = { none: undefined, ours: fieldManagers.platform, theirs: autopilotName, gitops: "gitops" };
  const value = values[trace.label];
  const fieldsV1 = { "f:spec": {} };
  return {
    ...(value !== undefined && { labels: { [`${prefix}managed-by`]: value } }),
    ...(trace.isTheirField && { managedFields: [{ manager: autopilotName, operation: "Apply", time, fieldsV1 }] }),
  };
}

function previewsOf(cluster: RandomCluster): { readonly facts: ClusterFacts; readonly previews: readonly Preview[] } {
  const hco = hyperConverged(cluster);
  const objects = managedObjects(assets, placesIn(hco, { ownNamespace }));
  const live = objects.flatMap(({ ref }): KubeObject[] => {
    const trace = cluster.traces[`${ref.kind} ${ref.name}`];
    if (ref.kind === "HyperConverged" || trace?.isThere !== true) return [];
    const annotations = {
      ...(trace.mode !== undefined && { [`${prefix}mode`]: trace.mode }),
      ...(trace.isGovernorUs && { [`${prefix}governor`]: fieldManagers.platform }),
      ...(trace.isPaused && { [`${prefix}reconcile-paused`]: "true" }),
    };
    const { apiVersion, kind, ...place } = ref;
    return [{ apiVersion, kind, metadata: { ...place, uid: "u", annotations, ...marksOf(trace) }, spec: {} }];
  });
  const namespaces = [...new Set(objects.flatMap(({ ref }) => ref.namespace ?? []))].map((name) => ({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name },
  }));
  const infrastructure = {
    apiVersion: "config.openshift.io/v1",
    kind: "Infrastructure",
    metadata: { name: "cluster" },
  };
  const plans = cluster.governed.map((target, at) => planFor(target, `plan-${at}`));
  const facts = buildClusterFacts(hco, {
    lookup: lookupIn({ objects: [hco, ...live, ...namespaces, infrastructure, ...plans], crds }),
    assets,
    activation: "opt-in",
    images: {},
    purposesOf: () => [],
    ownNamespace,
    exclusions: [],
    released: {},
    autopilot: { memory: { state: cluster.state, sinceMs: 0 }, isPresent: cluster.state !== "Absent" },
  });
  return { facts, previews: objects.map((object) => previewObject(object, { facts, now: 0, hco })) };
}

function planFor(target: string, name: string): KubeObject {
  const [kind = "", targetName = ""] = target.split(" ");
  const asset = assets.find((one) => one.target.kind === kind && one.target.name === targetName);
  const { apiVersion = "", namespace } = asset?.target ?? {};
  const targetRef = { apiVersion, kind, name: targetName, ...(namespace !== undefined && { namespace }) };
  return {
    apiVersion: "advisor.kubevirt.io/v1alpha1",
    kind: "VirtPlatformConfig",
    metadata: { name, generation: 1 },
    spec: { profile: "load-aware-rebalancing", action: "Apply" },
    status: { phase: "Completed", executedGeneration: 1, items: [{ name: "a", state: "Completed", targetRef }] },
  };
}

/** The report as users read it. */
function reportOf({ facts, previews }: ReturnType<typeof previewsOf>): KubeObject {
  return reportObject(ownNamespace, {
    version: 1,
    activation: { mode: "opt-in", isActive: facts.activation.isActive },
    autopilot: facts.autopilot,
    hco: { apiVersion: "hco.kubevirt.io/v1beta1", namespace: "openshift-cnv" },
    features: [],
    objects: previews.map((preview) => objectRow(preview)),
    exclusions: exclusionsOf(previews.flatMap(rowsOf)),
  });
}

const contentOf = (report: KubeObject): Json =>
  JSON.parse((report["data"] as { readonly "report.json": string })["report.json"]) as Json;

test("tables, explanations, previews, the report, metrics and the console name the same manager", async () => {
  const law = fc.asyncProperty(anyCluster, async (cluster) => {
    const seen = previewsOf(cluster);
    const report = reportOf(seen);
    const rows = assetStateRows(contentOf(report));
    const lines = readReport(report)?.rows ?? [];
    const registry = new Registry();
    const metrics = platformMetrics(registry);
    metrics.setYielded(
      seen.previews.flatMap(({ object: { ref }, managedBy }) => {
        const to = yieldedTo(managedBy);
        return to === undefined ? [] : [{ ref, to }];
      }),
    );
    const series = await registry.metrics();
    for (const preview of seen.previews) {
      const { ref, assets: own } = preview.object;
      const { managedBy } = preview;
      const entries = renderEntries([preview], { showExcluded: true });
      const places = { kind: ref.kind, name: ref.name, namespace: ref.namespace ?? "" };
      const labels = Object.entries(places).map(([name, value]) => `${name}="${value}"`);
      for (const { name } of own) {
        const [explained, row, line] = [
          explainAsset(name, preview, { facts: seen.facts, answer: { kind: "not-asked", why: "" } }),
          rows.find((one) => one.assets.includes(name) && one.object === objectName(ref)),
          lines.find((one) => one.asset === name && one.object === objectName(ref)),
        ];
        const named = [explained?.managedBy, row?.managedBy, line?.managedBy];
        expect([name, ...named]).toEqual([name, managedBy, managedBy, managedBy]);
        expect(explained?.autopilot?.handOver !== undefined).toBe(
          managedBy === autopilotName && preview.live !== undefined,
        );
      }
      expect(new Set(entries.map((entry) => entry.managedBy))).toEqual(new Set([managedBy]));
      const yielded = series.includes(`kubevirt_platform_yielded_objects{${labels.join(",")},to="${managedBy}"} 1`);
      expect(yielded).toBe(managedBy !== "none" && managedBy !== fieldManagers.platform);
    }
    expect(platformOperators(contentOf(report))?.autopilotObjects ?? 0).toBe(
      seen.previews.filter(({ managedBy }) => managedBy === autopilotName).length,
    );
  });
  await fc.assert(law, runsForCost(2));
});

test("an active autopilot is the manager of exactly its whole objects and of those that it will create", () => {
  const reached = new Set<string>();
  const law = fc.property(anyCluster, (cluster) => {
    const { facts, previews } = previewsOf(cluster);
    for (const { object, live, managedBy, evaluated } of previews) {
      reached.add(managedBy.split("/")[0] ?? "");
      if (object.ref.kind === "HyperConverged") continue;
      const trace = cluster.traces[`${object.ref.kind} ${object.ref.name}`];
      const isTheirs =
        live !== undefined &&
        trace !== undefined &&
        trace.mode !== "unmanaged" &&
        (trace.label === "theirs" || trace.isTheirField);
      const isActive = facts.autopilot.state === "Active";
      const isWhole = object.assets.every(({ adoption }) => adoption === "whole");
      const mayBeTheirs = isActive && (live === undefined || isTheirs);
      const broken = {
        isMissed: isActive && isTheirs && isWhole && managedBy !== autopilotName,
        isInvented: !mayBeTheirs && managedBy === autopilotName,
        isUnwanted: managedBy === fieldManagers.platform && evaluated.wanted.kind === "excluded",
      };
      expect({ object: objectName(object.ref), managedBy, ...broken }).toMatchObject({
        isMissed: false,
        isInvented: false,
        isUnwanted: false,
      });
    }
  });
  fc.assert(law, runsForCost(1));
  expect([...reached].toSorted()).toEqual(["VirtPlatformConfig", "none", autopilotName, fieldManagers.platform]);
});
