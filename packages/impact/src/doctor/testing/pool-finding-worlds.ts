import { poolObject } from "../../testing/cluster-builder.ts";
import {
  degraded,
  type FindingWorld,
  healthy,
  mcdLog,
  oneDown,
  operator,
  others,
  poolDescribed,
  poolWith,
} from "./finding-parts.ts";
import { psiChange, rollingNode, rollingPool } from "./rollout-builder.ts";

export const poolFindingWorlds: readonly FindingWorld[] = [
  {
    id: "PoolPaused",
    world: poolWith({ paused: true }),
    age: 0,
    message: "Pool worker is paused: 3 nodes are waiting for their update",
    command: poolDescribed,
  },
  {
    id: "RenderFailed",
    world: poolWith({}, { conditions: [{ type: "RenderDegraded", status: "True", message: "bad Ignition" }] }),
    age: 60,
    message: "Pool worker cannot render its configuration: bad Ignition",
    command: poolDescribed,
  },
  {
    id: "KubeletConfigFailed",
    world: {
      ...healthy,
      kubeletConfigs: [
        {
          ...operator("KubeletConfig", [{ type: "Accepted", status: "False", message: "unknown field" }]),
          metadata: { name: "tuned" },
          spec: { machineConfigPoolSelector: { matchLabels: { pool: "worker" } } },
        },
      ],
    },
    age: 60,
    message: "KubeletConfig tuned was rejected: unknown field",
    command: "oc describe kubeletconfig tuned",
  },
  {
    id: "TargetDeleted",
    world: {
      ...healthy,
      changes: [
        { ...psiChange, isTargetGone: true, waiting: { config: "load-aware-rebalancing", item: "enable-psi" } },
      ],
    },
    age: 0,
    message:
      "MachineConfig 99-worker-psi-karg was deleted during its rollout. The nodes of pool worker are returning to the configuration without it. Plan again, or restore the MachineConfig with: kubectl get vpconf load-aware-rebalancing -o jsonpath='{.status.items[?(@.name==\"enable-psi\")].desiredState}' | kubectl apply --server-side --field-manager=virt-advisor-operator -f -",
    command: "kubectl virt-advisor plan load-aware-rebalancing",
  },
  {
    id: "NotRendered",
    world: poolWith({ configuration: { name: "rendered-1", source: [{ name: "00-worker" }] } }),
    age: 300,
    message: "The rendered configuration of pool worker does not include MachineConfig 99-worker-psi-karg yet",
    command: mcdLog,
  },
  {
    id: "ControllerDown",
    world: poolWith({}, {}, 3),
    age: 300,
    message: "The Machine Config Operator is not processing pool worker",
    command: "oc -n openshift-machine-config-operator get pods",
  },
  {
    id: "InvalidMaxUnavailable",
    world: poolWith({ maxUnavailable: "2" }),
    age: 0,
    message: "Pool worker: maxUnavailable '2' is neither a number nor a percentage",
    command: "oc edit mcp worker",
  },
  {
    id: "MaxUnavailableUsed",
    world: { nodes: [rollingNode("worker-0", "Done", { isCordoned: true }), ...others] },
    age: 300,
    message: "Pool worker allows 1 unavailable node, and worker-0 is already unavailable (cordoned)",
    command: poolDescribed,
  },
  {
    id: "CordonedByPerson",
    world: {
      nodes: [rollingNode("worker-0", "Waiting", { isCordoned: true }), ...others],
      pools: [poolObject("master"), rollingPool({ maxUnavailable: 2 })],
    },
    age: 0,
    message: "Node worker-0 is cordoned and is not being updated",
    command: "oc adm uncordon worker-0",
  },
  {
    id: "CertificateExpired",
    world: {
      ...healthy,
      pools: [
        poolObject("master"),
        rollingPool({}, { certExpirys: [{ subject: "CN=kube", expiry: "2026-01-01T00:00:00Z" }] }),
      ],
    },
    age: 0,
    message: "Certificate CN=kube has expired",
    command: "oc get csr",
  },
  {
    id: "VirtDegraded",
    world: {
      ...healthy,
      operators: [
        operator("KubeVirt", [{ type: "Available", status: "False", reason: "Down", message: "no virt-api" }]),
      ],
    },
    age: 300,
    message: "KubeVirt reports Down: no virt-api",
    command: "oc describe kubevirts it -n virt",
  },
  {
    id: "DeschedulerDegraded",
    world: {
      ...healthy,
      operators: [
        operator("KubeDescheduler", [
          { type: "TargetConfigControllerDegraded", status: "True", reason: "Bad", message: "x" },
        ]),
      ],
    },
    age: 300,
    message: "KubeDescheduler reports Bad: x",
    command: "oc describe kubedescheduler it -n virt",
  },
  {
    id: "OnDiskState",
    world: degraded('unexpected on-disk state validating against rendered-1: content mismatch for file "/etc/x"'),
    age: 0,
    message:
      'Files on node worker-0 were changed outside of MachineConfigs: unexpected on-disk state validating against rendered-1: content mismatch for file "/etc/x"',
    command: "oc describe machineconfignode worker-0",
  },
  {
    id: "Unreconcilable",
    world: degraded("ignition disks section contains changes", "Unreconcilable"),
    age: 0,
    message: "Node worker-0 cannot apply the change in place: ignition disks section contains changes",
    command: "oc describe machineconfignode worker-0",
  },
  {
    id: "KernelArgumentsFailed",
    world: degraded("error running rpm-ostree kargs: exit status 1"),
    age: 0,
    message: "Node worker-0 cannot change its kernel arguments: error running rpm-ostree kargs: exit status 1",
    command: "oc describe machineconfignode worker-0",
  },
  {
    id: "OSUpdateFailed",
    world: degraded("error running rpm-ostree rebase"),
    age: 0,
    message: "Node worker-0 cannot update its OS: error running rpm-ostree rebase",
    command: "oc describe machineconfignode worker-0",
  },
  {
    id: "NodeDegraded",
    world: degraded("disk full"),
    age: 0,
    message: "Node worker-0 is degraded: disk full",
    command: "oc describe machineconfignode worker-0",
  },
  {
    id: "RebootOverdue",
    world: { nodes: oneDown },
    age: 2700,
    message: "Node worker-0 has been rebooting for 45 minutes",
    command: undefined,
  },
  {
    id: "KubeletDown",
    world: { nodes: oneDown, changes: [{ ...psiChange, hasKubeletDropIn: true }] },
    age: 2700,
    message: "The kubelet on worker-0 has not started since MachineConfig 99-worker-psi-karg was applied",
    command: "ssh core@worker-0 journalctl -b -u kubelet",
  },
];
