// What is worth a line while the demo runs: phases, progress of rollouts, nodes that drain and reboot.

import type { Status, VirtPlatformConfig } from "@virt/api";
import { asList, at, type KubeObject, member } from "@virt/engine";

export type Change<T> = { readonly before?: T; readonly after?: T };

export function configNews({ before, after }: Change<VirtPlatformConfig>): readonly string[] {
  const name = after?.metadata.name ?? before?.metadata.name ?? "";
  if (after === undefined) return [`${name} is deleted`];
  return isNewPhase({ before, after } as Change<VirtPlatformConfig>)
    ? [[name, after.status?.phase, ...reasons(after.status)].join(": ")]
    : progress(before?.status, after.status).map((text) => `  ${text}`);
}

export function isNewPhase({ before, after }: Change<VirtPlatformConfig>): boolean {
  const phase = after?.status?.phase;
  return phase !== undefined && phase !== before?.status?.phase;
}

/** What the phase alone does not say. */
function reasons(status: Status = {}): readonly string[] {
  const { phase, conditions = [], impactSeverity, review } = status;
  const saying = (type: string) => conditions.filter((one) => one.type === type && one.status === "True");
  const words = (type: string) => saying(type).map(({ message }) => message.trim().replaceAll(/\s*\n\s*(- )?/g, " "));
  if (phase === "PrerequisiteFailed" || phase === "Failed" || phase === "Drifted") return words(phase);
  if (phase !== "ReviewRequired") return [];
  const why = [...words("InputDependencyDrift"), ...words("PlanStale")];
  return [`impact ${impactSeverity}`, ...(review?.forced ? why : [])];
}

function progress(before: Status = {}, after: Status = {}): readonly string[] {
  const known = new Map((before.items ?? []).map(({ name, message }) => [name, message]));
  const begun = (after.items ?? []).filter(({ state }) => state !== "Pending");
  return begun
    .filter(({ name, message }) => known.get(name) !== message)
    .map(({ name, message }) => `${name}: ${message}`);
}

/** Nothing about nodes that were there from the start. */
export function nodeNews({ before, after }: Change<KubeObject>): readonly string[] {
  if (before === undefined || after === undefined) return [];
  const { name } = after.metadata;
  if (isReady(before) && !isReady(after)) return [`  ${name} reboots`];
  if (isCordoned(before) === isCordoned(after)) return [];
  return [`  ${name} ${isCordoned(after) ? "drains" : "takes machines again"}`];
}

function isReady(node: KubeObject): boolean {
  const ready = asList(at(node, "status", "conditions")).find((one) => member(one, "type") === "Ready");
  return member(ready, "status") === "True";
}

function isCordoned(node: KubeObject): boolean {
  return at(node, "spec", "unschedulable") === true;
}
