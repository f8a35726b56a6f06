// The patches that request, approve or reject a plan, or end its management.

import { type RecordedDecision, type Rejection, writeDecision } from "@virt/advisor";
import {
  decisionAnnotation,
  type JsonMap,
  rejectedPlanAnnotation,
  type Spec,
  type VirtPlatformConfig,
} from "@virt/api";
import { foreignText } from "@virt/impact";
import { equalJson } from "@virt/objects";

/** One operation of a JSON patch (RFC 6902). */
export type ConfigOperation =
  | { readonly op: "test" | "add" | "replace"; readonly path: string; readonly value: string | JsonMap }
  | { readonly op: "remove"; readonly path: string };

/** The body of one request. A list of operations is a JSON patch, a map is a merge patch. */
export type ConfigPatch =
  | { readonly type: "json"; readonly body: readonly ConfigOperation[] }
  | { readonly type: "merge"; readonly body: JsonMap };

const shownHash = "/status/planHash";

/** The user, time and client of a decision. `user` is empty if the API server does not report it. */
export type Decider = Pick<RecordedDecision, "user" | "time" | "client">;

/**
 * Returns the patches that approve exactly this plan. The API server rejects them (422) if the config shows another
 * plan by then. If the config already approves this plan, the first patch withdraws that approval, so that the second
 * one counts as new. With `by`, the patch also records the decision and drops an earlier rejection.
 */
export function approvalPatches(
  config: Pick<VirtPlatformConfig, "spec" | "metadata">,
  planHash: string,
  by?: Decider,
): readonly ConfigPatch[] {
  const { spec } = config;
  const isAsked = spec.action === "Apply" && spec.approvedPlan === planHash;
  const test: ConfigOperation = { op: "test", path: shownHash, value: planHash };
  const withdraw: ConfigPatch = { type: "json", body: [test, { op: "add", path: "/spec/action", value: "DryRun" }] };
  const record = by === undefined ? [] : annotate(config, recordOf("approved", planHash, by));
  const approve: ConfigPatch = {
    type: "json",
    body: [
      test,
      ...record,
      ...(by === undefined ? [] : dropRejection(config)),
      { op: "add", path: "/spec/approvedPlan", value: planHash },
      { op: "add", path: "/spec/action", value: "Apply" },
    ],
  };
  return isAsked ? [withdraw, approve] : [approve];
}

/**
 * Returns alternative ways to send an approval; try them in order. If the config has no annotations, any concurrent
 * write makes the API server refuse the first way (422). The second way approves without a record.
 */
export function approvalAttempts(
  config: Pick<VirtPlatformConfig, "spec" | "metadata">,
  planHash: string,
  by: Decider,
): readonly (readonly ConfigPatch[])[] {
  const recorded = approvalPatches(config, planHash, by);
  return config.metadata.annotations === undefined ? [recorded, approvalPatches(config, planHash)] : [recorded];
}

function recordOf(decision: RecordedDecision["decision"], plan: string, by: Decider): Readonly<Record<string, string>> {
  return { [decisionAnnotation]: writeDecision({ decision, plan, ...by }) };
}

const annotationPath = (key: string) => `/metadata/annotations/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;

/** Sets annotations. Tests the resourceVersion, so that annotations that another client adds at the same time are kept. */
function annotate(
  { metadata }: Pick<VirtPlatformConfig, "metadata">,
  values: Readonly<Record<string, string>>,
): readonly ConfigOperation[] {
  const { annotations, resourceVersion = "" } = metadata;
  if (annotations !== undefined)
    return Object.entries(values).map(([key, value]) => ({ op: "add", path: annotationPath(key), value }));
  return [
    { op: "test", path: "/metadata/resourceVersion", value: resourceVersion },
    { op: "add", path: "/metadata/annotations", value: values },
  ];
}

/** Removes the record of a rejection. A JSON patch cannot remove a missing field, so the first operation adds it. */
function dropRejection({ metadata }: Pick<VirtPlatformConfig, "metadata">): readonly ConfigOperation[] {
  if (metadata.annotations === undefined) return [];
  const path = annotationPath(rejectedPlanAnnotation);
  return [
    { op: "add", path, value: "" },
    { op: "remove", path },
  ];
}

/**
 * Returns the patch that withdraws an approval and records the rejected plan, the user and the reason. The API server
 * refuses it (422) if the config shows another plan by then. `reason` may be empty; it is cut to 160 characters, and
 * control characters are removed.
 */
export function rejectionPatch(
  config: Pick<VirtPlatformConfig, "metadata">,
  planHash: string,
  { reason, by }: { readonly reason: string; readonly by: Decider },
): ConfigPatch {
  const words = foreignText(reason);
  const value = words === "" ? planHash : `${planHash} ${words}`;
  return {
    type: "json",
    body: [
      { op: "test", path: shownHash, value: planHash },
      ...annotate(config, { [rejectedPlanAnnotation]: value, ...recordOf("rejected", planHash, by) }),
      // Adds the field before it removes it, as in dropRejection.
      { op: "add", path: "/spec/approvedPlan", value: planHash },
      { op: "remove", path: "/spec/approvedPlan" },
      { op: "add", path: "/spec/action", value: "DryRun" },
    ],
  };
}

/** Returns the rejection as a clause, such as `by jane (not verified) at 2026-01-01T00:00:00Z: too risky`. */
export function rejectionText({ reason, user, time }: Rejection): string {
  const by = user === "" ? "by an unknown user" : `by ${user} (not verified)`;
  return `${by}${time === "" ? "" : ` at ${time}`}: ${reason || "no reason given"}`;
}

/** Ends the management of a profile. Applied objects stay in place. */
export const ignorePatch: ConfigPatch = { type: "merge", body: { spec: { action: "Ignore", approvedPlan: null } } };

/** Returns a notice about the options that `ignorePatch` keeps, or undefined if none are set. */
export function keptOptionsText({ spec }: Pick<VirtPlatformConfig, "spec">): string | undefined {
  const set = Object.values(spec.options ?? {}).flatMap((options) =>
    Object.entries(options).map(([key, value]) => foreignText(`${key}=${JSON.stringify(value)}`)),
  );
  return set.length === 0 ? undefined : `These options stay set and apply to the next plan: ${set.join(", ")}`;
}

/** Phases in which the advisor drafts a new plan only after the spec has changed. */
const needsChange = new Set(["Failed", "CompletedWithErrors", "CompletedWithUpgrade", "Drifted"]);

/**
 * Returns the patches that request a plan with these options and withdraw an earlier approval. Empty if the current
 * plan already is the requested one. Default: the options of the config.
 */
export function planPatches(
  { spec, status }: Pick<VirtPlatformConfig, "spec" | "status">,
  options: Spec["options"] = spec.options,
): readonly ConfigPatch[] {
  const draft: ConfigPatch = {
    type: "merge",
    body: { spec: { action: "DryRun", approvedPlan: null, ...(options !== undefined && { options }) } },
  };
  const isSame =
    spec.action === "DryRun" && spec.approvedPlan === undefined && equalJson(options ?? {}, spec.options ?? {});
  if (!isSame) return [draft];
  return needsChange.has(status?.phase ?? "") ? [ignorePatch, draft] : [];
}
