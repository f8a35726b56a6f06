import type { KubeObject } from "@virt/api";
import { asNumber, asText, at, exceedsBytes, readTime } from "@virt/objects";
import { textsOf } from "./node.ts";
import { readController } from "./virtual-machine-instance.ts";

/** The parts of a pod that determine whether a drain evicts it. */
export type PodFact = {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly controllerKind: string | undefined;
  readonly isMirror: boolean;
  /** When the deletion was requested, in milliseconds by the API server's clock. Undefined if it was not. */
  readonly deletedAt: number | undefined;
  /** Set if the labels are too large to keep. It is then unknown which budgets select the pod. */
  readonly isTooLarge?: true;
};

/** The size limit for a pod's labels. Real labels take a few hundred bytes. */
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

// Subtracts the grace period, because the deletion timestamp marks its end.
function deletionOf(pod: KubeObject): number | undefined {
  const text = asText(at(pod, "metadata", "deletionTimestamp"));
  if (text === undefined) return undefined;
  const graceSeconds = asNumber(at(pod, "metadata", "deletionGracePeriodSeconds")) ?? 0;
  return (readTime(text) ?? 0) - graceSeconds * 1000;
}
