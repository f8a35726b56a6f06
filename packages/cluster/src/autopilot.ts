// The state of virt-platform-autopilot, the Go operator that manages some of the same objects, and the objects it owns.

import { autopilotAnnotation, autopilotName, type KubeObject, managedByLabel } from "@virt/api";
import {
  asList,
  asNumber,
  at,
  fieldPath,
  hasField,
  type InformerSpec,
  member,
  readOwners,
  readTime,
} from "@virt/objects";
import type { ReadingTime } from "./hardware.ts";
import { conditionsOf, findTrue } from "./health/conditions.ts";

/** All states of the autopilot. */
export const autopilotStates = ["Absent", "Off", "Idle", "Active"] as const;
/**
 * The state of the autopilot. `Absent`: it does not run. `Off`: it is switched off and quiet. `Idle`: an early release
 * that waits to be switched on. `Active`: it may write at any time.
 */
export type AutopilotState = (typeof autopilotStates)[number];

/** How long the autopilot must be switched off and quiet before it counts as `Off`. */
export const autopilotQuietMs = 30_000;
/** How long the autopilot must be available without a write to the HyperConverged before it counts as `Idle`. */
export const autopilotIdleMs = 600_000;

/** Returns the informer of the autopilot's Deployment. Empty `hcoNamespace`: all namespaces. */
export function autopilotInformer(hcoNamespace: string): InformerSpec {
  const place = hcoNamespace === "" ? {} : { namespace: hcoNamespace };
  const parts = [
    ["spec", "replicas"],
    ["status", "conditions"],
  ];
  return { apiVersion: "apps/v1", kind: "Deployment", name: autopilotName, ...place, projection: { keep: "parts", parts } }; // biome-ignore format: one line
}

/** The inputs of the state of the autopilot at one time. */
export type AutopilotObservation = {
  readonly hco: KubeObject;
  /** The Deployment in the namespace of the HyperConverged. */
  readonly deployment: KubeObject | undefined;
  /** Why the Deployment cannot be read. The autopilot then counts as active. */
  readonly unreadReason?: string | undefined;
  /** The time of its newest known write, in wall milliseconds. */
  readonly lastWriteMs?: number | undefined;
};

/** The state of the autopilot as this process follows it. A process that has just started has none. */
export type AutopilotMemory = {
  readonly state: AutopilotState;
  /** The start of the state in wall milliseconds, or the time at which this process first saw it. */
  readonly sinceMs: number;
  /** When this process first saw the annotation `false`, in monotonic milliseconds. */
  readonly falseSinceMs?: number;
  /** When the state changes without an event, in monotonic milliseconds. */
  readonly dueMs?: number;
};

/** Returns the next state of the autopilot. Everything that is not certain counts as `Active`. */
export function followAutopilot(
  before: AutopilotMemory | undefined,
  observed: AutopilotObservation,
  time: ReadingTime,
): AutopilotMemory {
  const falseSinceMs = isSwitchedOff(observed.hco) ? (before?.falseSinceMs ?? time.monotonicMs) : undefined;
  const { state, dueInMs } = autopilotStateOf(observed, falseSinceMs, time);
  return {
    state,
    sinceMs: before?.state === state ? before.sinceMs : time.wallMs,
    ...(falseSinceMs !== undefined && { falseSinceMs }),
    ...(dueInMs !== undefined && { dueMs: time.monotonicMs + dueInMs }),
  };
}

type Found = { readonly state: AutopilotState; readonly dueInMs?: number };

function autopilotStateOf(
  { hco, deployment, unreadReason, lastWriteMs = 0 }: AutopilotObservation,
  falseSinceMs: number | undefined,
  time: ReadingTime,
): Found {
  if (unreadReason !== undefined) return { state: "Active" };
  if (deployment === undefined || asNumber(at(deployment, "spec", "replicas")) === 0) return { state: "Absent" };
  if (falseSinceMs !== undefined) {
    const lastMs = Math.max(lastWriteMs, lastAutopilotWrite(hco) ?? 0);
    const falseForMs = Math.max(time.monotonicMs - falseSinceMs, time.wallMs - (switchedAtMs(hco) ?? time.wallMs));
    return after("Off", autopilotQuietMs, Math.min(falseForMs, time.wallMs - lastMs));
  }
  if (!isUnset(hco) || isAutopilotManager(hco)) return { state: "Active" };
  const available = findTrue(conditionsOf(deployment), "Available");
  const sinceMs = readTime(available?.time ?? "");
  return sinceMs === undefined ? { state: "Active" } : after("Idle", autopilotIdleMs, time.wallMs - sinceMs);
}

/** Returns the state after the wait, or `Active` with the remaining time. */
function after(state: AutopilotState, waitMs: number, passedMs: number): Found {
  return passedMs >= waitMs ? { state } : { state: "Active", dueInMs: waitMs - passedMs };
}

function switchOf({ metadata: { annotations = {} } }: KubeObject): string | undefined {
  return Object.hasOwn(annotations, autopilotAnnotation) ? annotations[autopilotAnnotation]?.trim() : undefined;
}

function isSwitchedOff(hco: KubeObject): boolean {
  return switchOf(hco) === "false";
}

/** Treats an empty value as absent. A release that obeys it writes to the HyperConverged, which shows that it is on. */
function isUnset(hco: KubeObject): boolean {
  return (switchOf(hco) ?? "") === "";
}

const switchPath = fieldPath("metadata", "annotations", autopilotAnnotation);

/** Returns the latest time at which the switch may have got its value. Every owner had this value at its own time. */
function switchedAtMs(hco: KubeObject): number | undefined {
  const times = readOwners(hco).flatMap(({ fields, time = "" }) =>
    hasField(fields, switchPath) ? (readTime(time) ?? []) : [],
  );
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Returns the time of the autopilot's last write to the object, in milliseconds. Undefined if it wrote nothing. */
export function lastAutopilotWrite(object: KubeObject): number | undefined {
  const times = readOwners(object).flatMap(({ manager, time = "" }) =>
    manager === autopilotName ? (readTime(time) ?? []) : [],
  );
  return times.length === 0 ? undefined : Math.max(...times);
}

/** Reports whether the autopilot's field manager has an entry on the object. */
export function isAutopilotManager(object: KubeObject): boolean {
  return readOwners(object).some(({ manager }) => manager === autopilotName);
}

/** Reports whether the object has the autopilot's label. */
export function isAutopilotLabelled({ metadata: { labels = {} } }: KubeObject): boolean {
  return labels[managedByLabel.key] === autopilotName;
}

const modeAnnotation = "platform.kubevirt.io/mode";

/** Reports whether the autopilot manages the object: by its label or its fields, unless the object is unmanaged. */
export function isAutopilotObject(object: KubeObject): boolean {
  const isUnmanaged = object.metadata.annotations?.[modeAnnotation]?.trim() === "unmanaged";
  return !isUnmanaged && (isAutopilotLabelled(object) || isAutopilotManager(object));
}

/** Returns a string that changes when the autopilot takes or gives up the object or a field of it. */
export function autopilotMarks(object: KubeObject): string {
  const entries = asList(object.metadata["managedFields"]).filter(
    (entry) => member(entry, "manager") === autopilotName,
  );
  return `${isAutopilotObject(object)} ${entries.length === 0 ? "" : JSON.stringify(entries)}`;
}

/** All combined states. */
export const combinedStates = ["Alone", "AutopilotOnly", "Both", "None"] as const;
/** The platform operators that are active: ours alone, the autopilot alone, both, or none. */
export type CombinedState = (typeof combinedStates)[number];

/** Combines the state of the autopilot with that of the platform controller. */
export function combinedStateOf(autopilot: AutopilotState, isActive: boolean): CombinedState {
  if (autopilot === "Active") return isActive ? "Both" : "AutopilotOnly";
  return isActive ? "Alone" : "None";
}
