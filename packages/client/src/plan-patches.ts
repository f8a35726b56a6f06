// The patches by which a person asks for a plan, approves it, rejects it, or ends its management. Each is one request.

import { type RecordedDecision, readDecision, writeDecision } from "@virt/advisor";
import {
  decisionAnnotation,
  type JsonMap,
  rejectedPlanAnnotation,
  type Spec,
  type VirtPlatformConfig,
} from "@virt/api";
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

/** Who decides, when, and through which tool. `user` is empty if the API server does not tell. */
export type Decider = Pick<RecordedDecision, "user" | "time" | "client">;

/**
 * Approves exactly the plan with this hash: the API server refuses the patch (422) if the config shows another plan by then.
 * A config that already says all of this needs a second gesture: the first patch takes the old Apply back. With `by` the approval is
 * recorded on the config, and an earlier rejection ends.
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
 * The ways to send an approval, to be tried in this order until the API server takes one. The first annotation of a config is refused
 * (422) if another client writes in between; the approval is then sent without a record.
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

/** A config without annotations gets its first. If another client adds one at the same moment, the patch is refused. */
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

/** Removing an annotation that may be absent: it exists after the first of the two. */
function dropRejection({ metadata }: Pick<VirtPlatformConfig, "metadata">): readonly ConfigOperation[] {
  if (metadata.annotations === undefined) return [];
  const path = annotationPath(rejectedPlanAnnotation);
  return [
    { op: "add", path, value: "" },
    { op: "remove", path },
  ];
}

/**
 * Takes an approval back and records on the config which plan was rejected, by whom and why. Refused (422) when the config shows
 * another plan by then. `reason` may be empty; it is cut to 160 characters without control characters.
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
      // Removing a member that may be absent: it is there after the first of the two.
      { op: "add", path: "/spec/approvedPlan", value: planHash },
      { op: "remove", path: "/spec/approvedPlan" },
      { op: "add", path: "/spec/action", value: "DryRun" },
    ],
  };
}

/** A person's rejection. `reason` is empty where none was given, `user` and `time` where no tool recorded them. */
export type Rejection = {
  readonly planHash: string;
  readonly reason: string;
  readonly user: string;
  readonly time: string;
};

const rejected = /^([0-9a-f]{64})(?: (.*))?$/su;

/**
 * The rejection of the plan that the config shows now. Undefined: the plan was not rejected, or approved since. A rejection of an
 * earlier plan does not count.
 */
export function readRejection(config: VirtPlatformConfig): Rejection | undefined {
  const { metadata, spec, status } = config;
  const [, planHash, reason = ""] = rejected.exec(metadata.annotations?.[rejectedPlanAnnotation] ?? "") ?? [];
  // A rejection sets DryRun, so every Apply is later.
  if (planHash === undefined || planHash !== status?.planHash || spec.action === "Apply") return undefined;
  const record = readDecision(config);
  const isRecorded = record?.decision === "rejected" && record.plan === planHash;
  return {
    planHash,
    reason: foreignText(reason),
    user: isRecorded ? record.user : "",
    time: isRecorded ? record.time : "",
  };
}

/** Returns the rejection as a clause, such as `by jane (not verified) at 2026-01-01T00:00:00Z: too risky`. */
export function rejectionText({ reason, user, time }: Rejection): string {
  const by = user === "" ? "by an unknown user" : `by ${user} (not verified)`;
  return `${by}${time === "" ? "" : ` at ${time}`}: ${reason || "no reason given"}`;
}

/** Ends the management; what was applied stays as it is. */
export const ignorePatch: ConfigPatch = { type: "merge", body: { spec: { action: "Ignore", approvedPlan: null } } };

/** Returns what is said of the options that `ignorePatch` leaves, such as `mode="Predictive"`; undefined: none is set. */
export function keptOptionsText({ spec }: Pick<VirtPlatformConfig, "spec">): string | undefined {
  const set = Object.values(spec.options ?? {}).flatMap((options) =>
    Object.entries(options).map(([key, value]) => foreignText(`${key}=${JSON.stringify(value)}`)),
  );
  return set.length === 0 ? undefined : `These options stay set and apply to the next plan: ${set.join(", ")}`;
}

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
