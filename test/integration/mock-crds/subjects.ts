import { clusterConfigs } from "./kinds/cluster-config.ts";
import { deschedulers } from "./kinds/descheduler.ts";
import { disruptionPolicies } from "./kinds/disruption-policies.ts";
import { hyperConvergeds } from "./kinds/hyperconverged.ts";
import { kubeVirt } from "./kinds/kubevirt.ts";
import { kubeVirtCluster } from "./kinds/kubevirt-cluster.ts";
import { liveMigration } from "./kinds/live-migration.ts";
import { machineConfigs } from "./kinds/machine-config.ts";
import { rollouts } from "./kinds/machine-config-rollout.ts";
import { monitoring } from "./kinds/monitoring.ts";
import { operations } from "./kinds/operations.ts";
import { operators } from "./kinds/operators.ts";
import { remediations } from "./kinds/remediation.ts";
import type { Subject } from "./subject.ts";

export const subjects: readonly Subject[] = [
  ...deschedulers,
  ...machineConfigs,
  ...rollouts,
  ...disruptionPolicies,
  ...hyperConvergeds,
  ...remediations,
  ...operators,
  ...operations,
  ...monitoring,
  ...clusterConfigs,
  ...kubeVirt,
  ...kubeVirtCluster,
  ...liveMigration,
];
