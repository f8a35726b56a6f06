// Decisions about plans, which clients record on the config. The user name in them is not verified.

import { decisionAnnotation, rejectedPlanAnnotation, type VirtPlatformConfig } from "@virt/api";
import { foreignText } from "@virt/impact";

/**
 * A decision. `user` is the name that the API server reported to the client, or empty. `client` is the client's field
 * manager.
 */
export type RecordedDecision = {
  readonly decision: "approved" | "rejected";
  readonly plan: string;
  readonly user: string;
  /** The time of the decision in RFC 3339 format, from the client's clock. */
  readonly time: string;
  readonly client: string;
};

/** Formats a decision, marked as not verified, because anyone who can edit the config can write it. */
export function writeDecision(decision: RecordedDecision): string {
  return JSON.stringify({ ...decision, verified: false });
}

/** Returns the recorded decision, or undefined if there is no valid record. */
export function readDecision({ metadata }: Pick<VirtPlatformConfig, "metadata">): RecordedDecision | undefined {
  const { decision, plan, user, time, client } = readMap(metadata.annotations?.[decisionAnnotation] ?? "");
  if ((decision !== "approved" && decision !== "rejected") || typeof plan !== "string") return undefined;
  return { decision, plan, user: wordOf(user), time: wordOf(time), client: wordOf(client) };
}

function readMap(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {}; // written by another client
  }
}

function wordOf(value: unknown): string {
  return typeof value === "string" ? foreignText(value) : "";
}

/** Returns the user who approved this plan, if the client that last edited the spec recorded an approval of this plan. */
export function recordedApprover(
  config: Pick<VirtPlatformConfig, "metadata">,
  planHash: string | undefined,
  client: string | undefined,
): string | undefined {
  const record = readDecision(config);
  if (record?.decision !== "approved" || record.plan !== planHash || record.client !== client) return undefined;
  return record.user === "" ? undefined : record.user;
}

/** A recorded rejection. Unknown fields are empty. */
export type Rejection = {
  readonly planHash: string;
  readonly reason: string;
  readonly user: string;
  readonly time: string;
};

const rejected = /^([0-9a-f]{64})(?: (.*))?$/su;

/** Returns the rejection of the current plan, or undefined if it was not rejected, or was approved later. */
export function readRejection(config: Pick<VirtPlatformConfig, "metadata" | "spec" | "status">): Rejection | undefined {
  const { metadata, spec, status } = config;
  const [, planHash, reason = ""] = rejected.exec(metadata.annotations?.[rejectedPlanAnnotation] ?? "") ?? [];
  // A rejection sets the action to DryRun, so Apply means a later approval.
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
