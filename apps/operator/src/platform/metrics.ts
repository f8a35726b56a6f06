// The platform's metrics, with one set of series per managed object.

import { metricPrefixes, type Ref } from "@virt/api";
import type { AutopilotState } from "@virt/cluster";
import { Counter, Gauge, Histogram, type Registry, removeSeries } from "@virt/kube";
import { equalJson } from "@virt/objects";
import {
  customizationTypes,
  type Dependency,
  holdReasons,
  invalidOverrideTypes,
  type ObjectMetrics,
  objectKey,
  pauseReasons,
} from "@virt/platform";

/** An object that the platform controller leaves to another manager. */
export type YieldedObject = { readonly ref: Ref; readonly to: string };

export type PlatformMetrics = {
  readonly setObject: (ref: Ref, next: ObjectMetrics) => void;
  readonly object: (ref: Ref) => ObjectMetrics | undefined;
  readonly removeObject: (ref: Ref) => void;
  readonly removeAllObjects: () => void;
  /** Sets the reason why an asset is not applied. Pass undefined if it is applied. */
  readonly setExcluded: (asset: string, reason: string | undefined) => void;
  readonly countThrashing: (ref: Ref) => void;
  readonly observeDuration: (ref: Ref, seconds: number) => void;
  readonly setDependencies: (all: readonly Dependency[]) => void;
  /** Sets the result: 0 if the object is gone, -1 after an error, -2 if it is kept. Undefined removes the series. */
  readonly setTombstone: (ref: Ref, state: 0 | -1 | -2 | undefined) => void;
  /** Undefined without a HyperConverged. */
  readonly setAutopilotState: (state: AutopilotState | undefined) => void;
  readonly setYielded: (objects: readonly YieldedObject[]) => void;
  readonly setActive: (activation: string, isActive: boolean) => void;
};

const prefix = metricPrefixes.platform;
const knn = ["kind", "name", "namespace"] as const;

export function platformMetrics(registry: Registry): PlatformMetrics {
  const registers = [registry];
  const gauge = (name: string, help: string, labelNames: readonly string[]) =>
    new Gauge({ name: `${prefix}${name}`, help, labelNames, registers });
  const compliance = gauge(
    "compliance_status",
    "1 while an object is in its desired state, 0 while it is out of sync or cannot be applied.",
    knn,
  );
  const paused = gauge("paused_resources", "1 while an object is paused, by reason.", [...knn, "reason"]);
  const held = gauge("held_resources", "1 while a write that reboots nodes is on hold, by reason.", [...knn, "reason"]);
  const custom = gauge("customization_info", "1 while a valid override is in effect, by type.", [...knn, "type"]);
  const invalid = gauge("invalid_override", "1 while an override is invalid, by type.", [...knn, "type"]);
  const contested = gauge(
    "contested_fields",
    "Fields that other clients set and that the operator leaves unchanged.",
    knn,
  );
  const excluded = gauge("excluded_assets", "1 for each asset that is not applied, by reason.", ["asset", "reason"]);
  const missing = gauge("missing_dependency", "1 while a CRD that a feature needs is missing, 0 if it is installed.", [
    "group",
    "version",
    "kind",
  ]);
  const tombstones = gauge("tombstone_status", "0 gone, -1 error, -2 skipped.", knn);
  const active = gauge("active", "1 while the platform controller is active, 0 while it is idle.", ["activation"]);
  const autopilot = gauge("autopilot_state", "1 for the current state of virt-platform-autopilot.", ["state"]);
  const yielded = gauge("yielded_objects", "1 for each object that is left to another manager.", [...knn, "to"]);
  const thrashing = new Counter({
    name: `${prefix}thrashing_total`,
    help: "Edit wars detected.",
    labelNames: knn,
    registers,
  });
  const durations = new Histogram({
    name: `${prefix}reconcile_duration_seconds`,
    help: "Time to reconcile an object.",
    labelNames: knn,
    registers,
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  });
  const labelsOf = ({ kind, name, namespace = "" }: Ref) => ({ kind, name, namespace });
  // Removes series by their exact labels, because searching the series of all objects is slow.
  const clear = (labels: ReturnType<typeof labelsOf>) => {
    compliance.remove(labels);
    contested.remove(labels);
    for (const reason of pauseReasons) paused.remove({ ...labels, reason });
    for (const reason of holdReasons) held.remove({ ...labels, reason });
    for (const type of customizationTypes) custom.remove({ ...labels, type });
    for (const type of invalidOverrideTypes) invalid.remove({ ...labels, type });
  };
  // Sets only changed series. Most reconciles change nothing, and setting all series would cost more than the decision.
  const shown = new Map<string, { readonly ref: Ref; readonly metrics: ObjectMetrics }>();
  const reasons = new Map<string, string | undefined>();
  const removeObject = (ref: Ref) => {
    if (!shown.delete(objectKey(ref))) return;
    const labels = labelsOf(ref);
    clear(labels);
    thrashing.remove(labels);
    removeSeries(durations, labels);
  };
  return {
    setObject: (ref, next) => {
      const labels = labelsOf(ref);
      const before = shown.get(objectKey(ref))?.metrics;
      if (before !== undefined && equalJson(before, next)) return;
      shown.set(objectKey(ref), { ref, metrics: next });
      if (before === undefined) thrashing.inc(labels, 0); // `rate()` ignores the first sample of a series
      clear(labels);
      if (next.compliance !== undefined) compliance.set(labels, next.compliance);
      if (next.paused !== undefined) paused.set({ ...labels, reason: next.paused }, 1);
      else if (next.compliance !== undefined) paused.set({ ...labels, reason: "edit-war" }, 0);
      if (next.held !== undefined) held.set({ ...labels, reason: next.held }, 1);
      for (const type of next.customizations) custom.set({ ...labels, type }, 1);
      for (const type of next.invalid) invalid.set({ ...labels, type }, 1);
      if (next.contested > 0) contested.set(labels, next.contested);
    },
    object: (ref) => shown.get(objectKey(ref))?.metrics,
    removeObject,
    removeAllObjects: () => {
      for (const { ref } of shown.values()) removeObject(ref);
    },
    setExcluded: (asset, reason) => {
      if (reasons.has(asset) && reasons.get(asset) === reason) return;
      reasons.set(asset, reason);
      removeSeries(excluded, { asset });
      if (reason !== undefined) excluded.set({ asset, reason }, 1);
    },
    countThrashing: (ref) => thrashing.inc(labelsOf(ref)),
    observeDuration: (ref, seconds) => {
      if (shown.has(objectKey(ref))) durations.observe(labelsOf(ref), seconds); // the object may have been removed in the meantime
    },
    setDependencies: (all) => {
      missing.reset();
      for (const { group, version, kind, isMissing } of all) missing.set({ group, version, kind }, isMissing ? 1 : 0);
    },
    setTombstone: (ref, state) =>
      state === undefined ? tombstones.remove(labelsOf(ref)) : tombstones.set(labelsOf(ref), state),
    setAutopilotState: (state) => {
      autopilot.reset();
      if (state !== undefined) autopilot.set({ state }, 1);
    },
    setYielded: (objects) => {
      yielded.reset();
      for (const { ref, to } of objects) yielded.set({ ...labelsOf(ref), to }, 1);
    },
    setActive: (activation, isActive) => active.set({ activation }, isActive ? 1 : 0),
  };
}
