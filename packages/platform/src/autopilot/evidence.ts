// Shows why an object counts as managed by virt-platform-autopilot, and how to take over this object alone.

import { autopilotName, fieldManagers, governorAnnotation, type KubeObject, managedByLabel, type Ref } from "@virt/api";
import { type AutopilotState, isAutopilotLabelled, isAutopilotManager, lastAutopilotWrite } from "@virt/cluster";
import { kubectlArguments, writeTime } from "@virt/objects";
import { objectAnnotations } from "../hco-annotations.ts";

/** The traces of the autopilot on a live object. */
export type AutopilotEvidence = {
  /** Present if the object has the label of the autopilot. */
  readonly label?: string;
  /** Present if the autopilot owns fields of the object. */
  readonly manager?: string;
  /** The time of its last write. */
  readonly lastWrite?: string;
};

/** Returns the label and the field manager. Undefined if the object has neither. */
export function autopilotEvidence(live: KubeObject | undefined): AutopilotEvidence | undefined {
  if (live === undefined) return undefined;
  const [hasLabel, isManager] = [isAutopilotLabelled(live), isAutopilotManager(live)];
  if (!hasLabel && !isManager) return undefined;
  const wroteMs = lastAutopilotWrite(live);
  return {
    ...(hasLabel && { label: `${managedByLabel.key}=${autopilotName}` }),
    ...(isManager && { manager: autopilotName }),
    ...(wroteMs !== undefined && { lastWrite: writeTime(wroteMs) }),
  };
}

/** Returns the command that takes over one object while the autopilot stays on. */
export function handOverCommand(ref: Ref): string {
  const ours = `${governorAnnotation}=${fieldManagers.platform}`;
  return `kubectl annotate ${kubectlArguments(ref)} --overwrite ${objectAnnotations.mode}=unmanaged ${ours}`;
}

/** The state of the autopilot, its traces on an object, and the command that takes the object over. */
export type AutopilotView = {
  readonly state: AutopilotState;
  readonly evidence?: AutopilotEvidence;
  /** Absent unless the active autopilot manages the object. */
  readonly handOver?: string;
};

/** Returns the view in one line. */
export function autopilotViewText({ state, evidence, handOver }: AutopilotView): string {
  const traces = evidence === undefined ? [] : [...labelText(evidence), ...managerText(evidence)];
  const found = traces.length === 0 ? "it has not written this object" : traces.join(", ");
  return `${state}, ${found}${handOver === undefined ? "" : `. To take over this object, run: ${handOver}`}`;
}

function labelText({ label }: AutopilotEvidence): readonly string[] {
  return label === undefined ? [] : [`label ${label}`];
}

function managerText({ manager, lastWrite }: AutopilotEvidence): readonly string[] {
  if (manager === undefined) return [];
  return [`field manager ${manager}${lastWrite === undefined ? "" : ` (last write ${lastWrite})`}`];
}
