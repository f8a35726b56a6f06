import type { KubeObject } from "@virt/api";
import { asNumber, asText, at, exceedsBytes, readTime } from "@virt/objects";
import { textsOf } from "./node.ts";
import { readController } from "./virtual-machine-instance.ts";

/** The parts of a pod that decide whether a drain evicts it. */
export type PodFact = {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly controllerKind: string | undefined;
  readonly isMirror: boolean;
  /** The time of the deletion request in milliseconds, according to the API server's clock. Undefined without one. */
  readonly deletedAt: number | undefined;
  /** Set if the labels are too large to keep. Budgets that select the pod are then unknown. */
  readonly isTooLarge?: true;
};

/** Limits the labels of a pod. Real labels take a few hundred bytes. */
const mostLabelBytes = 16_000;

/** Reads the metadata of a Pod of any shape. */
export function readPodFact(pod: KubeObject): PodFact {
  const labels = at(pod, "metadata", "labels");
  const isTooLarge = exceedsBytes(labels, mostLabelBytes);
  return {
    namespace: asText(at(pod, "metadata", "namespace")) ?? "",
    name: asText(at(pod, "metadata", "name")) ?? "",
    labels: isTooLarge ? {} : textsOf(labels, () => true),
    controllerKind: readController(pod)?.kind,
    isMirror: at(pod, "metadata", "annotations", "kubernetes.io/config.mirror") !== undefined,
    deletedAt: deletionOf(pod),
    ...(isTooLarge && { isTooLarge }),
  };
}

// Subtracts the grace period, because the deletion timestamp is its end.
function deletionOf(pod: KubeObject): number | undefined {
  const text = asText(at(pod, "metadata", "deletionTimestamp"));
  if (text === undefined) return undefined;
  const graceSeconds = asNumber(at(pod, "metadata", "deletionGracePeriodSeconds")) ?? 0;
  return (readTime(text) ?? 0) - graceSeconds * 1000;
}
