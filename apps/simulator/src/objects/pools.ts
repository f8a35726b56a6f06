// The MachineConfigPools of a scenario, and the MachineConfigs that OpenShift ships for them.

import { roleLabel } from "@virt/cluster";
import { type KubeObject, writeDataUrl } from "@virt/objects";
import { machineConfigApi as apiVersion } from "../node-state.ts";
import type { PoolSpec, Scenario } from "../scenario.ts";

const builtIn = ["master", "worker"];

export function poolObjects({ pools }: Scenario): readonly KubeObject[] {
  return pools.map(poolOf);
}

function poolOf({ name, paused = false, maxUnavailable, annotations = {} }: PoolSpec): KubeObject {
  const isBuiltIn = builtIn.includes(name);
  const labels = {
    [`pools.operator.machineconfiguration.openshift.io/${name}`]: "",
    ...(isBuiltIn ? { "machineconfiguration.openshift.io/mco-built-in": "" } : {}),
  };
  const machineConfigSelector = isBuiltIn
    ? { matchLabels: { [roleLabel]: name } }
    : { matchExpressions: [{ key: roleLabel, operator: "In", values: ["worker", name] }] };
  return {
    apiVersion,
    kind: "MachineConfigPool",
    metadata: { name, labels, annotations },
    spec: {
      machineConfigSelector,
      nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${name}`]: "" } },
      paused,
      ...(maxUnavailable !== undefined && { maxUnavailable }),
    },
  };
}

/** Custom pools inherit the base configs of `worker`. */
export function baseConfigsOf({ pools }: Scenario): readonly KubeObject[] {
  return pools
    .filter(({ name }) => builtIn.includes(name))
    .flatMap(({ name: role }) => [
      machineConfigObject(`00-${role}`, role, {
        files: [file("/etc/tmpfiles.d/cleanup-cni.conf", "r /etc/kubernetes/cni/net.d/80-openshift-network.conf\n")],
      }),
      machineConfigObject(`01-${role}-container-runtime`, role, {
        files: [file("/etc/containers/storage.conf", '[storage]\ndriver = "overlay"\n')],
      }),
      machineConfigObject(`01-${role}-kubelet`, role, {
        units: [{ name: "kubelet.service", enabled: true, contents: kubeletUnit }],
      }),
      machineConfigObject(`99-${role}-ssh`, role, {}),
    ]);
}

const kubeletUnit = [
  "[Unit]",
  "Description=Kubernetes Kubelet",
  "Requires=crio.service kubelet-dependencies.target",
  "After=kubelet-dependencies.target",
  "",
  "[Service]",
  "ExecStart=/usr/local/bin/kubenswrapper /usr/bin/kubelet --config=/etc/kubernetes/kubelet.conf --config-dir=/etc/openshift/kubelet.conf.d",
  "Restart=always",
  "",
  "[Install]",
  "WantedBy=multi-user.target",
  "",
].join("\n");

type IgnitionFile = {
  readonly path: string;
  readonly mode: number;
  readonly overwrite: boolean;
  readonly contents: { readonly source: string };
};
type Contents = {
  readonly files?: readonly IgnitionFile[];
  readonly units?: readonly { readonly name: string; readonly enabled: boolean; readonly contents: string }[];
};

export function machineConfigObject(name: string, role: string, { files = [], units = [] }: Contents): KubeObject {
  const config = {
    ignition: { version: "3.2.0" },
    ...(files.length > 0 && { storage: { files } }),
    ...(units.length > 0 && { systemd: { units } }),
  };
  return { apiVersion, kind: "MachineConfig", metadata: { name, labels: { [roleLabel]: role } }, spec: { config } };
}

export function file(path: string, text: string): IgnitionFile {
  return { path, mode: 420, overwrite: true, contents: { source: writeDataUrl(text) } };
}
