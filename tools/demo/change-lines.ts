// Formats the changes that the demo prints: phases, planned changes, rollout progress, blockers and nodes.

import type { Status, VirtPlatformConfig } from "@virt/api";
import { asList, at, type KubeObject, member } from "@virt/objects";

export type Change<T> = { readonly before?: T; readonly after?: T };

export function configChangeLines({ before, after }: Change<VirtPlatformConfig>): readonly string[] {
  const name = after?.metadata.name ?? before?.metadata.name ?? "";
  if (after === undefined) return [`${name} was deleted`];
  return isNewPhase({ before, after } as Change<VirtPlatformConfig>)
    ? [[name, after.status?.phase, ...reasons(after.status)].join(": ")]
    : progress(before?.status, after.status).map((text) => `  ${text}`);
}

function isNewPhase({ before, after }: Change<VirtPlatformConfig>): boolean {
  const phase = after?.status?.phase;
  return phase !== undefined && phase !== before?.status?.phase;
}

function reasons(status: Status = {}): readonly string[] {
  const { phase, conditions = [], impactSeverity, review } = status;
  const conditionsOf = (type: string) => conditions.filter((one) => one.type === type && one.status === "True");
  const words = (type: string) =>
    conditionsOf(type).map(({ message }) => message.trim().replaceAll(/\s*\n\s*(- )?/g, " "));
  if (phase === "PrerequisiteFailed" || phase === "Failed" || phase === "Drifted") return words(phase);
  if (phase !== "ReviewRequired") return [];
  const why = [...words("InputDependencyDrift"), ...words("PlanStale")];
  return [`impact ${impactSeverity}`, ...(review?.forced ? why : [])];
}

function progress(before: Status = {}, after: Status = {}): readonly string[] {
  const known = new Map((before.items ?? []).map(({ name, message }) => [name, message]));
  const begun = (after.items ?? []).filter(({ state }) => state !== "Pending");
  const items = begun
    .filter(({ name, message }) => known.get(name) !== message)
    .map(({ name, message }) => `${name}: ${message}`);
  const { summary } = after.impact ?? {};
  const impact = summary === undefined || summary === before.impact?.summary ? [] : [`impact: ${summary}`];
  return [...items, ...impact, ...newFindings(before, after)];
}

function newFindings(before: Status, after: Status): readonly string[] {
  const known = new Set((before.rollout?.findings ?? []).map(({ message }) => message));
  return (after.rollout?.findings ?? [])
    .filter(({ message }) => !known.has(message))
    .map(
      ({ severity, message, command }) => `${severity}: ${message}${command === undefined ? "" : `. Next: ${command}`}`,
    );
}

/** Returns no lines for nodes that were added or removed. */
export function nodeChangeLines({ before, after }: Change<KubeObject>): readonly string[] {
  if (before === undefined || after === undefined) return [];
  const { name } = after.metadata;
  if (isReady(before) && !isReady(after)) return [`  ${name} is rebooting`];
  if (isCordoned(before) === isCordoned(after)) return [];
  return [`  ${name} ${isCordoned(after) ? "is draining" : "is schedulable again"}`];
}

function isReady(node: KubeObject): boolean {
  const ready = asList(at(node, "status", "conditions")).find((one) => member(one, "type") === "Ready");
  return member(ready, "status") === "True";
}

function isCordoned(node: KubeObject): boolean {
  return at(node, "spec", "unschedulable") === true;
}
