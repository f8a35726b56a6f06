// Reads that the operator and the user tools share: lists, facts and previews. Writes nothing, except for dry runs.

export { type Assumptions, assumeFacts } from "./adoption/assumed-facts.ts";
export { decideAdoption, type ReadCluster } from "./adoption/decide-adoption.ts";
export {
  type AdoptionInput,
  type AdoptionPreview,
  previewAdoption,
  readAdoptedCluster,
} from "./adoption/preview-adoption.ts";
export { previewReturn, type ReturnPreview, type ReturnRow } from "./adoption/preview-return.ts";
export { type AutopilotLease, autopilotLeaseOf, readAutopilotLease } from "./autopilot-lease.ts";
export { type ClusterDiagnosis, collectClusterFacts, type DiagnosisGap, diagnoseCluster } from "./diagnose-cluster.ts";
export { DrainedPods } from "./drained-pods.ts";
export { findReports } from "./find-reports.ts";
export {
  collectDoctorFacts,
  collectImpactFacts,
  findDiagnosisGaps,
  type ListFacts,
  listPolicies,
} from "./impact-facts.ts";
export { ImpactReads, InfrastructureRead, inLanes } from "./impact-reads.ts";
export { InformerLists, listOnce } from "./informer-lists.ts";
export {
  admissionInformers,
  consentInformer,
  governanceInformer,
  isAdmissionInformer,
  managedInformer,
  type ObjectInformers,
  objectInformersOf,
  platformHcoInformers,
} from "./platform-informers.ts";
export { type Enablement, previewEnablement } from "./preview/enablement.ts";
export { type ExplainSource, explainPreview } from "./preview/explain-live.ts";
export {
  type CatalogPreview,
  type CatalogPreviewInput,
  knownProfiles,
  previewCatalog,
  requireAsset,
} from "./preview/preview-catalog.ts";
export { findHco, PreviewError } from "./preview/read-cluster.ts";
