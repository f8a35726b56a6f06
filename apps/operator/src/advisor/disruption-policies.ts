// Reads the node disruption policies from the MachineConfiguration. They can replace a reboot with a less disruptive
// action.

import type { Draft } from "@virt/advisor";
import type { KubeObject } from "@virt/api";
import {
  type Assessment,
  assessed,
  type DisruptionPolicies,
  disruptionPolicyInformer,
  notAssessed,
  readDisruptionPolicies,
} from "@virt/impact";
import { type ApiReader, type Discovery, type InformerState, listObjects, readResultOf } from "@virt/kube";
import { asList, at } from "@virt/objects";

export type PolicySources = {
  readonly discovery: Pick<Discovery, "find">;
  readonly sender: ApiReader;
  readonly signal: AbortSignal;
};

type PolicyReading =
  | { readonly kind: "policies"; readonly policies: Assessment<DisruptionPolicies> }
  | Extract<Draft, { kind: "unavailable" }>;

const known = (policies: Assessment<DisruptionPolicies>): PolicyReading => ({ kind: "policies", policies });

/** Reads the policies with one request. If the cluster does not respond, the draft waits. */
export async function readPolicies({ discovery, sender, signal }: PolicySources): Promise<PolicyReading> {
  const { kind, name = "" } = disruptionPolicyInformer;
  const found = await discovery.find(disruptionPolicyInformer, signal, sender);
  if (found.kind === "not-served") return known(notAssessed("NotServed"));
  if (found.kind === "unavailable") return { kind: "unavailable", message: `discovery of ${kind} failed` };
  const request = listObjects(found.resource, {}, { fieldSelector: `metadata.name=${name}` });
  const reading = readResultOf(await sender.send(request, { signal }));
  switch (reading.kind) {
    case "found":
      return known(assessed(readDisruptionPolicies(asList(at(reading.object, "items"))[0] as KubeObject | undefined)));
    case "absent":
    case "missing":
      return known(notAssessed("NotServed"));
    case "rejected":
      return known(notAssessed("Forbidden", reading.message));
    case "unavailable":
      return reading;
  }
}

/** Returns the cached policies, or undefined if the informer has not synced. */
export function cachedPolicies(informer: InformerState | undefined): Assessment<DisruptionPolicies> | undefined {
  if (informer === undefined) return undefined;
  if (informer.state === "not served") return notAssessed("NotServed");
  if (informer.lastError?.startsWith("403") === true) return notAssessed("Forbidden", informer.lastError);
  if (informer.state !== "synced") return undefined;
  return assessed(readDisruptionPolicies([...informer.store.items()][0]));
}
