// Collects the facts of a diagnosis from informers or from one-time lists.

import {
  infrastructureInformer,
  kubeletConfigInformer,
  kubeVirtInformer,
  machineConfigNodeInformer,
  migrationInformer,
  readMachineConfigNodeFact,
  readMigrationFact,
} from "@virt/cluster";
import {
  assessed,
  assessedOr,
  type DoctorFacts,
  DrainErrors,
  deschedulerHealthInformer,
  hcoHealthInformers,
  rolloutInformers,
} from "@virt/impact";
import type { InformerSpec } from "@virt/kube";
import { oncePer } from "@virt/objects";
import { findDiagnosisGaps } from "./diagnosis-gaps.ts";
import { collectImpactFacts, type ImpactSources } from "./impact-facts.ts";
import { ImpactReads } from "./impact-reads.ts";

// Caches facts per object, because a cluster has hundreds of nodes and only a few change at a time.
const reportFact = oncePer(readMachineConfigNodeFact);
const migrationFact = oncePer(readMigrationFact);

export type DoctorSources = Pick<ImpactSources, "disruption" | "renderedOf" | "list" | "hco"> &
  Pick<DoctorFacts, "now" | "changes" | "areVmsNamed">;

/** Collects the facts. The caller adds the history, the pods of draining nodes, drain errors and its own gaps. */
export function collectDoctorFacts({ disruption, renderedOf, list, hco, ...given }: DoctorSources): DoctorFacts {
  const facts = collectImpactFacts({ assessedAt: "", disruption, renderedOf, list, hco, reads: new ImpactReads() });
  const [reports, migrations] = [list(machineConfigNodeInformer), list(migrationInformer)];
  const listed = (...specs: readonly InformerSpec[]) => specs.flatMap((spec) => assessedOr(list(spec), []));
  // The profiles' cache has no status of the HyperConverged, but it is sufficient to find the namespace.
  const health = listed(...hcoHealthInformers).find(({ metadata }) => metadata.namespace === hco?.metadata.namespace);
  return {
    ...facts,
    ...given,
    // Run strategies do not affect the drain of a VM.
    runStrategies: assessed(new Map()),
    machineConfigNodes: reports.isAssessed ? assessed(reports.value.map(reportFact)) : reports,
    migrations: migrations.isAssessed ? assessed(migrations.value.map(migrationFact)) : migrations,
    drainedPods: new Map(),
    drainErrors: new DrainErrors(),
    kubeletConfigs: listed(kubeletConfigInformer),
    operators: [...listed(kubeVirtInformer, deschedulerHealthInformer), ...[health ?? hco].flatMap((one) => one ?? [])],
    before: undefined,
    sightings: new Map(),
    notAssessed: findDiagnosisGaps(
      [...rolloutInformers, infrastructureInformer].map((spec) => [spec.kind, list(spec)] as const),
    ),
  };
}
