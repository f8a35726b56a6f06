// What is known of a MachineConfigNode: how far an update is, and which pods a drain fails on.

import type { KubeObject } from "@virt/api";
import { asList, asText, at, member } from "@virt/engine";
import { isDnsName } from "./text-templates.ts";

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

/** The same with the error of an earlier attempt. */
export function withDrainError(report: MachineConfigNodeFact, message: string): MachineConfigNodeFact {
  const { Drained = { status: "Unknown", time: "" } } = report.conditions;
  return { ...report, conditions: { ...report.conditions, Drained: { ...Drained, message } } };
}

/** What the last attempt to drain failed of; undefined while one is under way. */
export function drainErrorOf({ conditions }: MachineConfigNodeFact): string | undefined {
  const message = conditions.Drained?.message ?? "";
  return /\b(?:error|failed)\b/i.test(message) ? message : undefined;
}

/** A pod that a failed drain names: its eviction is refused, or it does not end. */
export type NamedPod = { readonly namespace: string; readonly name: string; readonly isTerminating: boolean };

const mostPods = 20;

/** The pods that the message of a failed drain names, each once, in its order. Anything may stand there: only names count. */
export function podsOfDrain({ conditions }: MachineConfigNodeFact): readonly NamedPod[] {
  const message = conditions.Drained?.message ?? "";
  const quoted = String.raw`\\?"([^"\\]{1,253})\\?"`;
  const evicting = new RegExp(`error when evicting pods/${quoted} -n ${quoted}`, "g");
  const waiting = new RegExp(`error when waiting for pod ${quoted} in namespace ${quoted} to terminate`, "g");
  const pods = [
    ...matchesIn(message, evicting).map((pod) => ({ ...pod, isTerminating: false })),
    ...matchesIn(message, waiting).map((pod) => ({ ...pod, isTerminating: true })),
  ];
  const known = new Map(
    pods
      .filter(({ namespace, name }) => isDnsName(namespace) && isDnsName(name))
      .toSorted((left, right) => left.at - right.at)
      .map(({ namespace, name, isTerminating }) => [`${namespace}/${name}`, { namespace, name, isTerminating }]),
  );
  return [...known.values()].slice(0, mostPods);
}

function matchesIn(message: string, pattern: RegExp) {
  return [...message.matchAll(pattern)].map(({ index, 1: name = "", 2: namespace = "" }) => ({
    namespace,
    name,
    at: index,
  }));
}

/** Whether the message says that KubeVirt's webhook for evictions does not answer. */
export function isEvictionWebhookDown({ conditions }: MachineConfigNodeFact): boolean {
  const message = conditions.Drained?.message ?? "";
  return message.includes("failed calling webhook") && message.includes("virt-launcher-eviction-interceptor");
}
