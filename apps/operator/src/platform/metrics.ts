// The platform's metrics: one set of series for each object that it manages.

import type { Ref } from "@virt/api";
import { equalJson } from "@virt/engine";
import { Counter, Gauge, Histogram, type Registry, removeSeries } from "@virt/kube";
import type { Dependency } from "./hco-news.ts";
import { keyOf } from "./objects.ts";

const pauses = ["edit-war", "manual", "deletion-fight"] as const;
const customs = ["patch", "ignore", "unmanaged"] as const;
const invalids = ["patch", "ignore", "mode"] as const;

export type ObjectSigns = {
  /** 1 in sync, 0 failed; undefined: it is not ours to judge. */
  readonly compliance: 0 | 1 | undefined;
  readonly paused: (typeof pauses)[number] | undefined;
  readonly customizations: readonly (typeof customs)[number][];
  readonly invalid: readonly (typeof invalids)[number][];
  readonly contested: number;
};

export type PlatformMetrics = {
  readonly show: (ref: Ref, signs: ObjectSigns) => void;
  /** What is shown of an object; undefined: nothing. */
  readonly shown: (ref: Ref) => ObjectSigns | undefined;
  readonly forget: (ref: Ref) => void;
  readonly forgetAll: () => void;
  readonly excluded: (asset: string, reason: string | undefined) => void;
  readonly thrashed: (ref: Ref) => void;
  readonly took: (ref: Ref, seconds: number) => void;
  /** CRDs of features that somebody asked for. */
  readonly dependencies: (all: readonly Dependency[]) => void;
  /** 0 gone, -1 error, -2 skipped; undefined: nobody looks at it. */
  readonly buried: (ref: Ref, state: 0 | -1 | -2 | undefined) => void;
  readonly active: (activation: string, isActive: boolean) => void;
};

const prefix = "kubevirt_autopilot_";
const knn = ["kind", "name", "namespace"] as const;

export function platformMetrics(registry: Registry): PlatformMetrics {
  const registers = [registry];
  const gauge = (name: string, help: string, labelNames: readonly string[]) =>
    new Gauge({ name: `${prefix}${name}`, help, labelNames, registers });
  const compliance = gauge("compliance_status", "1 while an object is as it should be, 0 while that fails.", knn);
  const paused = gauge("paused_resources", "1 while an object is paused, by reason.", [...knn, "reason"]);
  const custom = gauge("customization_info", "1 while a valid override is in force, by type.", [...knn, "type"]);
  const invalid = gauge("invalid_override", "1 while an override cannot be used, by type.", [...knn, "type"]);
  const contested = gauge("contested_fields", "Fields that others set and that are left alone.", knn);
  const excluded = gauge("excluded_assets", "1 for each asset that is not applied, by reason.", ["asset", "reason"]);
  const missing = gauge("missing_dependency", "1 while a CRD that a feature needs is missing, 0 when it is there.", [
    "group",
    "version",
    "kind",
  ]);
  const tombstones = gauge("tombstone_status", "0 gone, -1 error, -2 skipped.", knn);
  const active = gauge("active", "1 while the platform controller works, 0 while it idles.", ["activation"]);
  const thrashing = new Counter({ name: `${prefix}thrashing_total`, help: "Edit wars.", labelNames: knn, registers });
  const durations = new Histogram({
    name: `${prefix}reconcile_duration_seconds`,
    help: "How long a look at an object took.",
    labelNames: knn,
    registers,
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  });
  const labelsOf = ({ kind, name, namespace = "" }: Ref) => ({ kind, name, namespace });
  // By name of each: to look through the series of all objects for those of one would be slow where there are many.
  const clear = (labels: ReturnType<typeof labelsOf>) => {
    compliance.remove(labels);
    contested.remove(labels);
    for (const reason of pauses) paused.remove({ ...labels, reason });
    for (const type of customs) custom.remove({ ...labels, type });
    for (const type of invalids) invalid.remove({ ...labels, type });
  };
  // Most passes change nothing of an object, and to set its series again costs more than to judge it.
  const shown = new Map<string, { readonly ref: Ref; readonly signs: ObjectSigns }>();
  const reasons = new Map<string, string | undefined>();
  const forget = (ref: Ref) => {
    if (!shown.delete(keyOf(ref))) return;
    const labels = labelsOf(ref);
    clear(labels);
    thrashing.remove(labels);
    removeSeries(durations, labels);
  };
  return {
    show: (ref, signs) => {
      const labels = labelsOf(ref);
      const before = shown.get(keyOf(ref))?.signs;
      if (before !== undefined && equalJson(before, signs)) return;
      shown.set(keyOf(ref), { ref, signs });
      clear(labels);
      if (signs.compliance !== undefined) compliance.set(labels, signs.compliance);
      if (signs.paused !== undefined) paused.set({ ...labels, reason: signs.paused }, 1);
      else if (signs.compliance !== undefined) paused.set({ ...labels, reason: "edit-war" }, 0);
      for (const type of signs.customizations) custom.set({ ...labels, type }, 1);
      for (const type of signs.invalid) invalid.set({ ...labels, type }, 1);
      if (signs.contested > 0) contested.set(labels, signs.contested);
    },
    shown: (ref) => shown.get(keyOf(ref))?.signs,
    forget,
    forgetAll: () => {
      for (const { ref } of shown.values()) forget(ref);
    },
    excluded: (asset, reason) => {
      if (reasons.has(asset) && reasons.get(asset) === reason) return;
      reasons.set(asset, reason);
      removeSeries(excluded, { asset });
      if (reason !== undefined) excluded.set({ asset, reason }, 1);
    },
    thrashed: (ref) => thrashing.inc(labelsOf(ref)),
    took: (ref, seconds) => {
      if (shown.has(keyOf(ref))) durations.observe(labelsOf(ref), seconds); // its pass may end when it is forgotten
    },
    dependencies: (all) => {
      missing.reset();
      for (const { group, version, kind, isMissing } of all) missing.set({ group, version, kind }, isMissing ? 1 : 0);
    },
    buried: (ref, state) =>
      state === undefined ? tombstones.remove(labelsOf(ref)) : tombstones.set(labelsOf(ref), state),
    active: (activation, isActive) => active.set({ activation }, isActive ? 1 : 0),
  };
}
