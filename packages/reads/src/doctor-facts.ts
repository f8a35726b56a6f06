// Collects the facts of a diagnosis from lists, followed or made once.

import { oncePer } from "@virt/engine";
import { infrastructureInformer } from "@virt/facts";
import {
  assessed,
  assessedOr,
  type DoctorFacts,
  DrainErrors,
  deschedulerHealthInformer,
  hcoHealthInformers,
  kubeletConfigInformer,
  kubeVirtInformer,
  machineConfigNodeInformer,
  migrationInformer,
  readMachineConfigNodeFact,
  readMigrationFact,
  rolloutInformers,
} from "@virt/impact";
import type { InformerSpec } from "@virt/kube";
import { findDiagnosisGaps } from "./diagnosis-gaps.ts";
import { collectImpactFacts, type ImpactSources } from "./impact-facts.ts";
import { ImpactReads } from "./impact-reads.ts";

// Hundreds of nodes, of which few are others than a moment ago.
const reportFact = oncePer(readMachineConfigNodeFact);
const migrationFact = oncePer(readMigrationFact);

export type DoctorSources = Pick<ImpactSources, "disruption" | "renderedOf" | "list" | "hco"> &
  Pick<DoctorFacts, "now" | "changes" | "areVmsNamed">;

/**
 * Collects the facts. The caller adds the history, the pods of nodes that drain, the errors of drains, and the gaps of what it reads beside
 * the lists.
 */
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
