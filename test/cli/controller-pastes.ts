// Every command in the controllers' conditions, events, warnings and advice, in the test's order.

import { activationAnnotation } from "@virt/api";
import { findMutator } from "@virt/objects";
import { annotationPrefix } from "@virt/platform";
import { handOverCommand } from "../../packages/platform/src/autopilot/evidence.ts"; // oxlint-disable-line no-restricted-imports -- what advice prints
import { commandToAsk } from "../../packages/platform/src/governance/asset-switches.ts"; // oxlint-disable-line no-restricted-imports -- what advice prints
import { loadAware } from "../support/advisor.ts";
import type { Paste } from "./pasted-command.ts";

const hco = "hco kubevirt-hyperconverged -n openshift-cnv";
const rival = "/spec/profileCustomizations/devLowNodeUtilizationThresholds";
const descheduler = "kubedescheduler cluster -n openshift-kube-descheduler-operator";

/** Printed to users whose objects are modified on admission. */
export const mutatorCommands: readonly string[] = [...findMutator.matchAll(/kubectl get \w+/gu)].map(([one]) => one);

const swap = { name: "swap-enable", switch: { annotation: "enable-swap", default: "off" } } as const;
const onCluster = { name: "kubevirt-hyperconverged", namespace: "openshift-cnv", featureGates: {} };
const askCommands = [
  commandToAsk(swap, { ...onCluster, annotations: {} }),
  commandToAsk(swap, { ...onCluster, annotations: { [`${annotationPrefix}enable-swap`]: "true" } }),
  commandToAsk({ name: "swap-enable" }, { ...onCluster, annotations: {} }).split(",")[0] ?? "",
];

export const controllerPastes: readonly Paste[] = [
  { command: "kubectl apply --server-side -f bundle/admission.yaml" },
  { command: "kubectl apply --server-side -k config/admission" },
  { command: `kubectl describe ${descheduler}` },
  { command: "kubectl label namespace openshift-kube-descheduler-operator openshift.io/cluster-monitoring=true" },
  { command: `kubectl patch ${descheduler} --type=json -p '[{"op":"remove","path":"${rival}"}]'` },
  { command: "kubectl delete daemonset wasp-agent -n default" },
  { command: "kubectl describe nodehealthcheck nhc-worker" },
  { command: "kubectl delete nodehealthcheck nhc-worker" },
  { command: `kubectl annotate --overwrite ${hco} ${annotationPrefix}enable-node-health-check=false` },
  {
    command: handOverCommand({
      apiVersion: "operator.openshift.io/v1",
      kind: "KubeDescheduler",
      name: "cluster",
      namespace: "openshift-kube-descheduler-operator",
    }),
  },
  ...mutatorCommands.map((command) => ({ command })),
  ...["Ignore", "DryRun"].map((action) => ({
    command: `kubectl patch vpconf ${loadAware} --type=merge -p '{"spec":{"action":"${action}"}}'`,
  })),
  { command: "kubectl config use-context $(kubectl config get-contexts -o name)" },
  ...askCommands.map((command) => ({ command })),
  {
    command: `kubectl annotate hyperconverged kubevirt-hyperconverged -n openshift-cnv --overwrite ${activationAnnotation}=true`,
  },
  { command: `kubectl annotate hyperconverged kubevirt-hyperconverged -n openshift-cnv ${annotationPrefix}mode-` },
  {
    command: "kubectl virt-advisor enable node-health-check",
    before: `kubectl annotate ${hco} ${activationAnnotation}-`,
    typed: "yes",
  },
];
