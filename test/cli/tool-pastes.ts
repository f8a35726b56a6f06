// Every command of the make tools and the chart's notes. The namespace `tools` has a Deployment with a pod.

import { loadAware } from "../support/advisor.ts";
import type { Paste } from "./pasted-command.ts";

/** The simulator has no kubelets: the command finds the pod, but the API server has no log. */
export const noLog = /\( ?pods\/log \S+\)/u;

export const toolPastes: readonly Paste[] = [
  { command: "kubectl get namespace -o yaml" },
  { command: "kubectl describe crd virtplatformconfigs.advisor.kubevirt.io" },
  { command: "kubectl get nodes" },
  { command: "kubectl -n tools logs crashing --previous", code: 1, says: noLog },
  { command: "kubectl -n tools logs crashing", code: 1, says: noLog },
  { command: "kubectl get namespace tools --show-labels" },
  { command: "kubectl -n tools get resourcequota" },
  { command: "kubectl -n tools get events" },
  { command: "kubectl -n tools describe pod crashing" },
  { command: "kubectl -n tools describe deployment crashing" },
  { command: "kubectl apply -k config/samples/" },
  { command: "kubectl get vpconf" },
];

export const chartPastes: readonly Paste[] = [
  ...["virt-advisor", "virt-platform"].map((name) => ({
    command: `kubectl rollout status deployment/${name}-operator-controller-manager --namespace ${name}-operator-system`,
  })),
  { command: "kubectl get virtplatformconfigs" },
  { command: `kubectl patch virtplatformconfig ${loadAware} --type=merge -p '{"spec":{"action":"DryRun"}}'` },
  { command: "kubectl explain virtplatformconfig.spec" },
  {
    command:
      "kubectl annotate hyperconverged kubevirt-hyperconverged --namespace openshift-cnv platform.kubevirt.io/virt-platform-operator=true",
  },
  { command: "kubectl get machineconfigpools" },
];
