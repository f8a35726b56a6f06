import type { KubeObject, NodeRolloutPhase } from "@virt/api";
import { asList, asText, at, type InformerSpec, member, readTime } from "@virt/objects";
import { keepConditions } from "./kept-members.ts";

/** The steps of an update, starting with the last one. A step in progress has status Unknown. */
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

const keptConditions = ["NodeDegraded", ...updateSteps] as const;

/** A reported condition. The daemon updates `time` with each write, even if nothing else changes. */
type ReportedCondition = { readonly status: string; readonly message: string; readonly time: string };

/** The update steps that the Machine Config Daemon reports for a node. */
export type MachineConfigNodeFact = {
  readonly name: string;
  readonly desiredConfig: string;
  readonly conditions: Readonly<Partial<Record<(typeof keptConditions)[number], ReportedCondition>>>;
};

/** All MachineConfigNodes. Older OpenShift releases do not serve them. */
export const machineConfigNodeInformer: InformerSpec = {
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfigNode",
  projection: {
    keep: "members",
    members: [
      ["metadata", "name"],
      ["spec", "configVersion", "desired"],
      ...keepConditions(keptConditions, ["type", "status", "message", "lastTransitionTime"]),
    ],
  },
};

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
 * Returns the latest possible start of a phase, in milliseconds. The phase may be older, because later writes update
 * the time.
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
