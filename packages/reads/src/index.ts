// Reads that the operator and the user tools share: lists, facts and previews. Writes nothing, except for dry runs.

export { type ClusterDiagnosis, collectClusterFacts, type DiagnosisGap, diagnoseCluster } from "./diagnose-cluster.ts";
export { findDiagnosisGaps } from "./diagnosis-gaps.ts";
export { collectDoctorFacts } from "./doctor-facts.ts";
export { DrainedPods } from "./drained-pods.ts";
export { findReports } from "./find-reports.ts";
export { collectImpactFacts, type ListFacts, listPolicies } from "./impact-facts.ts";
export { ImpactReads, InfrastructureRead, inLanes } from "./impact-reads.ts";
export { InformerLists } from "./informer-lists.ts";
export { listOnce } from "./list-once.ts";
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
  type PreviewFiles,
  previewCatalog,
  requireAsset,
} from "./preview/preview-catalog.ts";
export { PreviewError } from "./preview/preview-facts.ts";
export { findHco } from "./preview/read-cluster.ts";
