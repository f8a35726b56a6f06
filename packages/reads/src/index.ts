// Reads that the operator and the user tools share: lists, facts and previews. Writes nothing, except for dry runs.

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
