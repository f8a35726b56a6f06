// What is known of a MachineConfigNode: how far an update is, and since when.

import type { KubeObject, NodeRolloutPhase } from "@virt/api";
import { asList, asText, at, member, readTime } from "@virt/engine";

/** Steps of an update, the last first; a step under way is Unknown. */
export const updateSteps = [
  "Uncordoned",
  "RebootedNode",
  "AppliedOSImage",
  "AppliedFiles",
  "AppliedFilesAndOS",
  "Drained",
  "Cordoned",
  "UpdatePrepared",
] as const;

/** Conditions that say something about an update. */
export const keptConditions = ["NodeDegraded", ...updateSteps] as const;

/** A condition, as far as it is kept; the time is renewed with every write, also if nothing else changes. */
type ReportedCondition = { readonly status: string; readonly message: string; readonly time: string };

/** What is kept of a MachineConfigNode. */
export type MachineConfigNodeFact = {
  readonly name: string;
  readonly desiredConfig: string;
  readonly conditions: Readonly<Partial<Record<(typeof keptConditions)[number], ReportedCondition>>>;
};

/** Messages are as long as a daemon likes. */
const mostMessage = 1024;

/** Reads a MachineConfigNode of any shape. */
export function readMachineConfigNodeFact(object: KubeObject): MachineConfigNodeFact {
  const conditions = asList(at(object, "status", "conditions"));
  const kept = keptConditions.flatMap((type) => {
    const found = conditions.find((condition) => member(condition, "type") === type);
    const text = (key: string) => asText(member(found, key)) ?? "";
    if (found === undefined) return [];
    const [status, message, time] = [text("status"), text("message").slice(0, mostMessage), text("lastTransitionTime")];
    return [[type, { status, message, time }] as const];
  });
  return {
    name: asText(at(object, "metadata", "name")) ?? "",
    desiredConfig: asText(at(object, "spec", "configVersion", "desired")) ?? "",
    conditions: Object.fromEntries(kept),
  };
}

/**
 * Milliseconds: when the node was in the phase at the latest; undefined where its report does not tell. A node is cordoned once for a drain,
 * and nobody writes its report while it reboots: a time that was renewed makes the phase younger than it is, never older.
 */
export function phaseStartOf({ conditions }: MachineConfigNodeFact, phase: NodeRolloutPhase): number | undefined {
  const { Cordoned, Drained, RebootedNode } = conditions;
  const isUnderWay = RebootedNode?.status === "Unknown";
  const ofPhase =
    phase === "Draining" ? [Cordoned, Drained] : phase === "Rebooting" && isUnderWay ? [RebootedNode] : [];
  const ofThisUpdate = ofPhase.filter((condition) => condition?.status !== "False");
  const times = ofThisUpdate.flatMap((condition) => readTime(condition?.time ?? "") ?? []);
  return times.length === 0 ? undefined : Math.min(...times);
}
