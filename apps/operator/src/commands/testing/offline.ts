// Files and a context for tests of commands without a cluster.

import { assets, profiles } from "@virt/catalog";
import type { CommandContext } from "../command.ts";
import { runCommand } from "../commands.ts";

const prefix = "platform.kubevirt.io/";

function hcoText(said: Readonly<Record<string, string>> = {}, version = "v1"): string {
  const annotations = Object.fromEntries(Object.entries(said).map(([key, value]) => [`${prefix}${key}`, value]));
  const metadata = { name: "kubevirt-hyperconverged", namespace: "openshift-cnv", annotations };
  return JSON.stringify({ apiVersion: `hco.kubevirt.io/${version}`, kind: "HyperConverged", metadata, spec: {} });
}

const active = { "virt-platform-operator": "true" };

const ranges = [
  [0x7f, 0x9f],
  [0x61c, 0x61c],
  [0x200e, 0x200f],
  [0x202a, 0x202e],
  [0x2066, 0x2069],
] as const;
/** All C1 and bidi control characters, and DEL. C0 characters would end the YAML value. */
export const controlCharacters: readonly string[] = ranges.flatMap(([first, last]) =>
  Array.from({ length: last - first + 1 }, (_, at) => String.fromCodePoint(first + at)),
);
const attack = controlCharacters.join("");

const files: Readonly<Record<string, string>> = {
  plain: hcoText(active),
  silent: hcoText(),
  off: hcoText({ "virt-platform-operator": "false" }),
  "old.json": hcoText({ ...active, "enable-aaq": "true" }, "v1beta1"),
  busy: hcoText({
    ...active,
    "enable-loadaware": "true",
    "disabled-resources": "[{kind: MachineConfig, name: '50-virt-swap*'}]",
    "vfio-devices": '[{"selector": "10DE:1EB8", "resourceName": "nvidia.com/TU104GL_Tesla_T4"}]',
  }),
  "typo.yaml": hcoText({ ...active, "enable-swpa": "false", "disabled-resources": "[{kind: X}]" }),
  "nodes.yaml": `
apiVersion: v1
kind: NodeList
items:
- {apiVersion: v1, kind: Node, metadata: {name: a, labels: {feature.node.kubernetes.io/memory-numa: "true"}}, spec: {podCIDR: 10.0.0.0/20}}
---
---
apiVersion: v1
kind: Namespace
metadata: {name: metallb-system}
`,
  "check.yaml": `
apiVersion: remediation.medik8s.io/v1alpha1
kind: NodeHealthCheck
metadata:
  name: virt-node-health-check
  annotations:
    ${prefix}patch: '[{"op": "replace", "path": "/spec/minHealthy", "value": "60%"}]'
    ${prefix}ignore-fields: /spec/stormCooldownDuration
`,
  "broken-patch.yaml": `
apiVersion: remediation.medik8s.io/v1alpha1
kind: NodeHealthCheck
metadata: {name: virt-node-health-check, annotations: {${prefix}patch: "rubbish"}}
`,
  "hostile.json": hcoText({
    ...active,
    "enable-aaq": attack,
    "vfio-devices": `[{"selector": "${attack}"}]`,
    [`a${attack}`]: "x",
  }),
  "hostile-patch.json": JSON.stringify({
    apiVersion: "remediation.medik8s.io/v1alpha1",
    kind: "NodeHealthCheck",
    metadata: {
      name: "virt-node-health-check",
      annotations: {
        [`${prefix}patch`]: JSON.stringify([{ op: "replace", path: "/spec/minHealthy", value: attack }]),
      },
    },
  }),
  "one-crd.yaml": `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: metallbs.metallb.io}
`,
  "homeless.yaml": "{apiVersion: hco.kubevirt.io/v1, kind: HyperConverged, metadata: {name: kubevirt-hyperconverged}}",
  "not.yaml": "a: [",
  "text.yaml": "hello",
};

/** The assets to list, so that adding an asset does not change the expected texts. */
const listed = new Set([
  "aaq-operator",
  "hco-golden-config",
  "usb-passthrough",
  "vfio-permitted-devices",
  "metrics-service",
  "metrics-servicemonitor",
  "prometheus-alerts",
  "kubelet-cpu-manager",
  "kubelet-perf-settings",
  "numa-topology",
  "swap-enable",
  "pci-passthrough",
  "psi-enable",
  "psi-enable-master",
  "vfio-assign",
  "node-health-check",
  "mtv-operator",
  "metallb-operator",
  "observability-operator",
  "descheduler-loadaware",
]);

export const offlineAssets = assets.filter(({ name }) => listed.has(name));

export const offlineContext: CommandContext = {
  catalog: { assets: offlineAssets, profiles },
  environment: {},
  readFile: (path) => {
    const text = files[path];
    if (text === undefined) throw Object.assign(new Error(path), { code: "ENOENT" });
    return text;
  },
  now: () => 0,
  version: "v1.2.3",
};

export async function runOffline(...args: readonly string[]) {
  const ended = await runCommand(args, offlineContext);
  if (ended === undefined) throw new Error(`${args[0]} is not a command`);
  return ended;
}
