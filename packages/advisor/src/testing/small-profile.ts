// A minimal profile for tests. It has an input, a prerequisite, a rollout, a deletion, and an item that waits for
// another.

import type { KubeObject, Ref } from "@virt/api";
import { object } from "@virt/cluster";
import { defineProfile, type PlannedItem } from "../profile.ts";

export const mapTarget: Ref = { apiVersion: "v1", kind: "ConfigMap", namespace: "ns", name: "settings" };
export const machineTarget: Ref = {
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfig",
  name: "99-small",
};
export const inputRef: Ref = { apiVersion: "v1", kind: "ConfigMap", namespace: "ns", name: "input" };
export const need = {
  kind: "Widget",
  group: "widgets.io",
  versions: ["v1"],
  shown: "widgets.io.v1",
  remedy: "Install it",
};

type Options = { readonly size?: string; readonly kernel?: boolean; readonly bad?: boolean };

const machine = { name: "kernel", target: machineTarget, managedFields: ["spec.kernelArguments"], warnings: [] };

function kernelItem(isWanted: boolean): PlannedItem {
  if (!isWanted)
    return {
      ...machine,
      name: "no-kernel",
      operation: "Delete",
      message: "will be deleted",
      impact: "High",
      waitsFor: "settings",
    };
  const metadata = { name: machineTarget.name, labels: { "machineconfiguration.openshift.io/role": "worker" } };
  const desired = {
    apiVersion: machineTarget.apiVersion,
    kind: machineTarget.kind,
    metadata,
    spec: { kernelArguments: ["a=1"] },
  };
  return {
    ...machine,
    operation: "Apply",
    message: "will be configured",
    desired,
    impact: { create: "High", change: "High" },
  };
}

function settingsItem(size: string, isKernelWanted: boolean): PlannedItem {
  const desired: KubeObject = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "settings", namespace: "ns" },
    data: { size },
  };
  return {
    name: "settings",
    operation: "Apply",
    message: "will be configured",
    target: mapTarget,
    managedFields: ["data"],
    warnings: [],
    desired,
    impact: { create: "Medium", change: "Low" },
    ...(isKernelWanted && { waitsFor: "kernel" }),
  };
}

function limitOf(found: KubeObject | undefined): string | undefined {
  const limit = (found?.["data"] as { readonly limit?: string } | undefined)?.limit;
  return limit;
}

export const smallProfile = defineProfile({
  name: "small",
  optionsKey: "small",
  category: "test",
  description: "",
  impactSummary: "",
  impact: "High",
  documentation: "EXAMPLE_PROFILE",
  isAdvertised: false,
  purposes: [],
  targets: [],
  reads: { input: object(inputRef) },
  needs: () => [need],
  refuse: (given: Options | undefined) => (given?.bad ? { kind: "invalid", message: "bad" } : undefined),
  inputs: (_given: Options | undefined, { input }) => [
    {
      name: "limit",
      now: limitOf(input),
      describe: (was, now) => `limit changed (${was} -> ${now})`,
      summarize: (was, now) => `limit changed ${was} → ${now}`,
    },
  ],
  plan: (given: Options | undefined, { input }) => {
    const isKernelWanted = given?.kernel ?? true;
    const settings = settingsItem(`${given?.size ?? "s"}-${limitOf(input) ?? ""}`, isKernelWanted);
    return isKernelWanted ? [kernelItem(true), settings] : [settings, kernelItem(false)];
  },
});
