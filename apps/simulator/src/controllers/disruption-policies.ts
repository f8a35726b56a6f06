// The MachineConfiguration with its node disruption policies, and the disruption that they imply.

import {
  assessed,
  classOfChange,
  diffConfigs,
  type NodeUpdate,
  notAssessed,
  type RolloutNode,
  readDisruptionPolicies,
} from "@virt/impact";
import { asList, asText, at, type Json, type JsonMap, type KubeObject, member } from "@virt/objects";
import { type ClusterState, findObject } from "../cluster-state.ts";
import type { ObjectWrite } from "../object-writes.ts";

const manager = "machine-config-operator";

/** Writes the effective policies to the status: the user's, merged with the defaults of the Machine Config Operator. */
export function reconcileDisruptionPolicies(cluster: ClusterState): readonly ObjectWrite[] {
  const object = findObject(cluster, "MachineConfiguration", "cluster");
  if (object === undefined) return [];
  const given = at(object, "spec", "nodeDisruptionPolicy");
  const clusterPolicies = {
    files: mergePolicies(ownPolicies.files, asList(member(given, "files")), "path"),
    units: asList(member(given, "units")),
    sshkey: member(given, "sshkey") ?? ownPolicies.sshkey,
  };
  const status = {
    observedGeneration: object.metadata.generation ?? 1,
    nodeDisruptionPolicyStatus: { clusterPolicies },
  };
  return [{ kind: "set", object, fields: { status }, isStatus: true, manager }];
}

function mergePolicies(own: readonly JsonMap[], given: readonly Json[], key: string): readonly Json[] {
  const names = new Set(given.map((policy) => asText(member(policy, key))));
  return [...own.filter((policy) => !names.has(asText(policy[key]))), ...given];
}

const none = [{ type: "None" }];
const reloadCrio = [{ type: "Reload", reload: { serviceName: "crio.service" } }];

const ownPolicies = {
  files: [
    { path: "/etc/mco/internal-registry-pull-secret.json", actions: none },
    { path: "/var/lib/kubelet/config.json", actions: none },
    { path: "/etc/machine-config-daemon/no-reboot/containers-gpg.pub", actions: reloadCrio },
    { path: "/etc/containers/policy.json", actions: reloadCrio },
    { path: "/etc/containers/registries.conf", actions: [{ type: "Special" }] },
    { path: "/etc/containers/registries.d", actions: reloadCrio },
    { path: "/etc/nmstate/openshift", actions: none },
  ],
  sshkey: { actions: none },
};

export function machineConfigurationOf(nodeDisruptionPolicy: JsonMap | undefined): KubeObject {
  return {
    apiVersion: "operator.openshift.io/v1",
    kind: "MachineConfiguration",
    metadata: { name: "cluster" },
    spec: { managementState: "Managed", ...(nodeDisruptionPolicy !== undefined && { nodeDisruptionPolicy }) },
  };
}

export function disruptionOfUpdate(
  cluster: ClusterState,
  { current, desired }: Pick<RolloutNode, "current" | "desired">,
): NodeUpdate["disruption"] {
  if (current === desired) return "None";
  const [before, after] = [current, desired].map((name) => findObject(cluster, "MachineConfig", name));
  if (before === undefined || after === undefined) return "Reboot";
  const object = findObject(cluster, "MachineConfiguration", "cluster");
  const policies = object === undefined ? notAssessed("NotServed", "") : assessed(readDisruptionPolicies(object));
  return classOfChange(diffConfigs(before, after), policies);
}
