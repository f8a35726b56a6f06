// Reads the states of both platform operators from the report, and the manager of each object.

import { autopilotName, fieldManagers } from "@virt/api";
import { type AutopilotState, autopilotStates, type CombinedState, combinedStateOf } from "@virt/cluster";
import { asList, asText, at, type Json, member } from "@virt/objects";

/** The two platform operators of a cluster: ours, and virt-platform-autopilot. */
export type PlatformOperators = {
  readonly combined: CombinedState;
  readonly isActive: boolean;
  readonly autopilot: AutopilotState;
  /** RFC 3339. Empty if unknown. */
  readonly since: string;
  /** The namespace of the autopilot. Empty if it is absent. */
  readonly namespace: string;
  /** The number of objects that the autopilot manages. */
  readonly autopilotObjects: number;
};

/** Undefined if the value is not a report, or the report of a version that does not know the autopilot. */
export function platformOperators(report: Json): PlatformOperators | undefined {
  const said = at(report, "autopilot", "state");
  const autopilot = autopilotStates.find((state) => state === said);
  if (autopilot === undefined) return undefined;
  const isActive = at(report, "activation", "isActive") === true;
  const managers = asList(member(report, "objects")).map((entry) => member(entry, "managedBy"));
  return {
    combined: combinedStateOf(autopilot, isActive),
    isActive,
    autopilot,
    since: asText(at(report, "autopilot", "since")) ?? "",
    namespace: asText(at(report, "autopilot", "namespace")) ?? "",
    autopilotObjects: managers.filter((manager) => manager === autopilotName).length,
  };
}

/** Returns the state of the autopilot in one line. Undefined if it is absent. */
export function autopilotText({ autopilot, autopilotObjects }: PlatformOperators): string | undefined {
  if (autopilot === "Absent") return undefined;
  const objects = `${autopilotObjects} ${autopilotObjects === 1 ? "object" : "objects"}`;
  return `${autopilotName}: ${autopilot.toLowerCase()} (${objects})`;
}

/** Returns the combined state with both operators in one line. Undefined if the autopilot is absent. */
export function combinedStateText({ combined, isActive, autopilot }: PlatformOperators): string | undefined {
  if (autopilot === "Absent") return undefined;
  const own = `${fieldManagers.platform} is ${isActive ? "active" : "idle"}`;
  return `Platform operators: ${combined} (${own}, ${autopilotName} is ${autopilot.toLowerCase()})`;
}
