// What a diagnosis is made of, from lists that somebody follows or made once; and the pods that drains name.

import type { KubeObject } from "@virt/api";
import { asList, at, oncePer } from "@virt/engine";
import {
  assessed,
  assessedOr,
  type DoctorFacts,
  deschedulerHealthInformer,
  hcoHealthInformers,
  kubeletConfigInformer,
  kubeVirtInformer,
  machineConfigNodeInformer,
  migrationInformer,
  type NamedPod,
  type PodFact,
  readMachineConfigNodeFact,
  readMigrationFact,
  readPodFact,
} from "@virt/impact";
import { type InformerSpec, listObjects, metadataOnly, type Resource, readResultOf, type Sender } from "@virt/kube";
import { collectImpactFacts, type ImpactSources } from "./impact-facts.ts";
import { ImpactReads } from "./impact-reads.ts";

// Hundreds of nodes, of which few are others than a moment ago.
const reportFact = oncePer(readMachineConfigNodeFact);
const migrationFact = oncePer(readMigrationFact);

export type DoctorSources = Pick<ImpactSources, "disruption" | "renderedOf" | "list" | "hco"> &
  Pick<DoctorFacts, "now" | "changes" | "areVmsNamed">;

/** Without history and without pods: whoever has them adds them. */
export function collectDoctorFacts({ disruption, renderedOf, list, hco, ...given }: DoctorSources): DoctorFacts {
  const facts = collectImpactFacts({ assessedAt: "", disruption, renderedOf, list, hco, reads: new ImpactReads() });
  const [reports, migrations] = [list(machineConfigNodeInformer), list(migrationInformer)];
  const listed = (...specs: readonly InformerSpec[]) => specs.flatMap((spec) => assessedOr(list(spec), []));
  // What a profile reads of it is its content alone, which tells at least where KubeVirt's components are.
  const health = listed(...hcoHealthInformers).find(({ metadata }) => metadata.namespace === hco?.metadata.namespace);
  return {
    ...facts,
    ...given,
    // Whether a VM that stops is started again makes no difference to its drain.
    runStrategies: assessed(new Map()),
    machineConfigNodes: reports.isAssessed ? assessed(reports.value.map(reportFact)) : reports,
    migrations: migrations.isAssessed ? assessed(migrations.value.map(migrationFact)) : migrations,
    namedPods: [],
    kubeletConfigs: listed(kubeletConfigInformer),
    operators: [...listed(kubeVirtInformer, deschedulerHealthInformer), ...[health ?? hco].flatMap((one) => one ?? [])],
    before: undefined,
    sightings: new Map(),
  };
}

const podResource: Resource = { group: "", version: "v1", plural: "pods", isNamespaced: true };

/** Returns the metadata of a pod; undefined if it does not exist. */
export async function readNamedPod(
  { namespace, name }: Pick<NamedPod, "namespace" | "name">,
  { sender, signal }: { readonly sender: Sender; readonly signal: AbortSignal },
): Promise<PodFact | undefined | "unavailable" | "forbidden"> {
  const page = { fieldSelector: `metadata.name=${name}`, accept: metadataOnly.list, limit: 1 };
  const reading = readResultOf(await sender.send(listObjects(podResource, { namespace }, page), { signal }));
  if (reading.kind === "unavailable") return "unavailable";
  if (reading.kind === "rejected") return "forbidden";
  const [found] = reading.kind === "found" ? asList(at(reading.object, "items")) : [];
  return found === undefined ? undefined : readPodFact(found as KubeObject);
}
