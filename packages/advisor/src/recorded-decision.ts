// The decision about a plan as people's tools record it on the config: who, when, about which plan. Nothing checks the name.

import { decisionAnnotation, type VirtPlatformConfig } from "@virt/api";
import { foreignText } from "@virt/impact";

/** `user` is the name that the API server gave to the tool; empty if it gave none. `client` is the tool's field manager. */
export type RecordedDecision = {
  readonly decision: "approved" | "rejected";
  readonly plan: string;
  readonly user: string;
  /** RFC 3339, by the clock of the tool. */
  readonly time: string;
  readonly client: string;
};

/** Every editor of the config can write the annotation, so it says that the name is not verified. */
export function writeDecision(decision: RecordedDecision): string {
  return JSON.stringify({ ...decision, verified: false });
}

/** The last decision that a tool recorded. Undefined: none, or one that cannot be read. */
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
    return {}; // another client wrote it
  }
}

function wordOf(value: unknown): string {
  return typeof value === "string" ? foreignText(value) : "";
}

/**
 * The user who approved this plan, by the record of the tool through which the spec was last edited. Undefined: that tool left no
 * record for this plan.
 */
export function recordedApprover(
  config: Pick<VirtPlatformConfig, "metadata">,
  planHash: string | undefined,
  client: string | undefined,
): string | undefined {
  const record = readDecision(config);
  if (record?.decision !== "approved" || record.plan !== planHash || record.client !== client) return undefined;
  return record.user === "" ? undefined : record.user;
}
