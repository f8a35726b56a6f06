// The patches by which a person asks for a plan, approves it, rejects it, or ends its management. Each is one request.

import { type JsonMap, rejectedPlanAnnotation, type Spec, type VirtPlatformConfig } from "@virt/api";
import { equalJson } from "@virt/engine";
import { foreignText } from "@virt/impact";

/** One operation of a JSON patch (RFC 6902). */
export type ConfigOperation =
  | { readonly op: "test" | "add" | "replace"; readonly path: string; readonly value: string | JsonMap }
  | { readonly op: "remove"; readonly path: string };

/** What to send, in this order, each as a request of its own: an operation list is a JSON patch, a map a merge patch. */
export type ConfigPatch =
  | { readonly type: "json"; readonly body: readonly ConfigOperation[] }
  | { readonly type: "merge"; readonly body: JsonMap };

const shownHash = "/status/planHash";

/**
 * Approves exactly the plan with this hash: the API server refuses the patch (422) when the config shows another plan by then.
 * A config that already says all of this needs a second gesture: there the first patch takes the old Apply back.
 */
export function approvalPatches({ spec }: Pick<VirtPlatformConfig, "spec">, planHash: string): readonly ConfigPatch[] {
  const isAsked = spec.action === "Apply" && spec.approvedPlan === planHash;
  const test: ConfigOperation = { op: "test", path: shownHash, value: planHash };
  const withdraw: ConfigPatch = { type: "json", body: [test, { op: "add", path: "/spec/action", value: "DryRun" }] };
  const approve: ConfigPatch = {
    type: "json",
    body: [
      test,
      { op: "add", path: "/spec/approvedPlan", value: planHash },
      { op: "add", path: "/spec/action", value: "Apply" },
    ],
  };
  return isAsked ? [withdraw, approve] : [approve];
}

/**
 * Takes an approval back and records on the config which plan was rejected and why. Refused (422) when the config shows another plan
 * by then. `reason` may be empty; it is cut to 160 characters without control characters.
 */
export function rejectionPatch(
  { metadata }: Pick<VirtPlatformConfig, "metadata">,
  planHash: string,
  reason: string,
): ConfigPatch {
  const { annotations, resourceVersion = "" } = metadata;
  const words = foreignText(reason);
  const value = words === "" ? planHash : `${planHash} ${words}`;
  const pointer = rejectedPlanAnnotation.replaceAll("~", "~0").replaceAll("/", "~1");
  // A config without annotations gets its first; whoever adds one at the same moment must not lose it.
  const annotate: readonly ConfigOperation[] =
    annotations === undefined
      ? [
          { op: "test", path: "/metadata/resourceVersion", value: resourceVersion },
          { op: "add", path: "/metadata/annotations", value: { [rejectedPlanAnnotation]: value } },
        ]
      : [{ op: "add", path: `/metadata/annotations/${pointer}`, value }];
  return {
    type: "json",
    body: [
      { op: "test", path: shownHash, value: planHash },
      ...annotate,
      // Removing a member that may be absent: it is there after the first of the two.
      { op: "add", path: "/spec/approvedPlan", value: planHash },
      { op: "remove", path: "/spec/approvedPlan" },
      { op: "add", path: "/spec/action", value: "DryRun" },
    ],
  };
}

/** A person's rejection. `reason` is empty where none was given. */
export type Rejection = { readonly planHash: string; readonly reason: string };

const rejected = /^([0-9a-f]{64})(?: (.*))?$/su;

/** The rejection of the plan that the config shows now. Undefined: nobody rejected it; an earlier plan's rejection does not count. */
export function readRejection({ metadata, status }: VirtPlatformConfig): Rejection | undefined {
  const [, planHash, reason = ""] = rejected.exec(metadata.annotations?.[rejectedPlanAnnotation] ?? "") ?? [];
  return planHash === undefined || planHash !== status?.planHash
    ? undefined
    : { planHash, reason: foreignText(reason) };
}

/** Ends the management; what was applied stays as it is. */
export const ignorePatch: ConfigPatch = { type: "merge", body: { spec: { action: "Ignore", approvedPlan: null } } };

/** Phases in which a plan is drafted again only when the spec changes. */
const needsChange = new Set(["Failed", "CompletedWithErrors", "CompletedWithUpgrade", "Drifted"]);

/**
 * Asks for a plan, with these options (by the options key of the profile; undefined: those that are there). None: the plan that there
 * is, is the one that is asked for. An earlier approval is taken back: nothing runs because of it.
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
