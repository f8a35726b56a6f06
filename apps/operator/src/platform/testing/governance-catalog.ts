// Test data for the property-based test of the hand-over: two assets that reboot nodes, and their profiles.

import type { KubeObject } from "@virt/api";
import { type Asset, annotationOf, defineAsset } from "@virt/platform";

export type StreamName = "hco" | "configs" | "record";
export const streams: readonly StreamName[] = ["hco", "configs", "record"];
export type AssetName = "swap-enable" | "psi-enable";
export type ConfigName = "virt-higher-density" | "load-aware-rebalancing";

export const purposes: Readonly<Record<ConfigName, string>> = {
  "virt-higher-density": "kubelet-swap",
  "load-aware-rebalancing": "psi",
};
const prefix = "platform.kubevirt.io/";

const rebooting = (name: AssetName, purpose: string, annotation: string, on: "on" | "off"): Asset =>
  defineAsset({
    name,
    feature: { name, description: "", maturity: "GA" },
    tier: "always-on",
    phase: 1,
    order: 1,
    target: { apiVersion: "v1", kind: "MachineConfig", name },
    needs: [],
    dependency: "platform",
    switch: { annotation, default: on },
    reads: {},
    purpose,
    adoption: "whole",
    impact: "reboot",
    render: () => ({ apiVersion: "v1", kind: "MachineConfig", metadata: { name }, spec: { wanted: name } }),
  });

export const governanceAssets: readonly Asset[] = [
  rebooting("swap-enable", "kubelet-swap", "enable-swap", "on"),
  rebooting("psi-enable", "psi", "enable-loadaware", "off"),
];
export const assetOf: Readonly<Record<ConfigName, AssetName>> = {
  "virt-higher-density": "swap-enable",
  "load-aware-rebalancing": "psi-enable",
};
export const purposesOf = (profile: string) =>
  Object.hasOwn(purposes, profile) ? [purposes[profile as ConfigName]] : [];

export const assetNames = Object.values(assetOf);

/** A defect to plant, to prove that the test can fail. */
export type Defect = "late observation" | "stale read" | "nothing stored" | "no confirmation";

export type ClusterWrite = { readonly asset: AssetName; readonly verb: "create" | "delete" };

export type Interruption = () => void;

export function governedHco(uid: string, said: Readonly<Record<string, string>>): KubeObject {
  const annotations = Object.fromEntries(Object.entries(said).map(([key, value]) => [`${prefix}${key}`, value]));
  const metadata = { name: "kubevirt-hyperconverged", namespace: "cnv", uid, annotations };
  return { apiVersion: "hco.kubevirt.io/v1", kind: "HyperConverged", metadata, spec: {} };
}

export function saidBy(hco: KubeObject | undefined, key: string): string | undefined {
  return annotationOf(hco?.metadata.annotations ?? {}, key);
}
