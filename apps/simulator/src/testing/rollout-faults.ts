// A planted fault for each finding about pools, nodes and operators.

import type { KubeObject } from "@virt/objects";
import type { Scenario } from "../scenario.ts";
import {
  always,
  annotated,
  attempt,
  create,
  edit,
  fault,
  isDegraded,
  isDraining,
  isRebooting,
  isRendered,
  isUncordonOpen,
  keys,
  kubeletConfig,
  type PlantedFault,
  psi,
  remove,
  reports,
  scenarioOf,
  small,
} from "./planted-faults.ts";

const poolsWith = (worker: object): Scenario => ({
  ...small,
  pools: [{ name: "master" }, { name: "worker", ...worker }],
});
const cordon = edit("Node/worker-1", { spec: { unschedulable: true } });
const uncordon = edit("Node/worker-1", { spec: { unschedulable: null } });

const swap: KubeObject = {
  ...psi,
  spec: {
    config: {
      ignition: { version: "3.2.0" },
      storage: { files: [{ path: "/etc/openshift/kubelet.conf.d/90-swap.conf", contents: { source: "data:,a" } }] },
    },
  },
};

const degraded = (id: PlantedFault["id"], reason: string): PlantedFault => ({
  id,
  ...annotated(keys.node, "degrade", reason),
  isThere: isDegraded,
  age: 0,
  severity: "blocking",
});

const slowReboot = (id: PlantedFault["id"], change: KubeObject): PlantedFault => ({
  id,
  change,
  plant: fault(keys.node, "slow-reboot", "10h"),
  isThere: isRebooting,
  age: 1.5 * 1800,
  severity: "blocking",
  end: fault(keys.node, "slow-reboot", "1s"),
});

export const rolloutFaults: readonly PlantedFault[] = [
  {
    id: "PoolPaused",
    scenario: scenarioOf("paused-pool"),
    isThere: isRendered,
    age: 0,
    severity: "blocking",
    end: edit(keys.pool, { spec: { paused: false } }),
  },
  {
    id: "RenderFailed",
    ...annotated(keys.pool, "render-error", "no such file"),
    isThere: reports(keys.pool, "RenderDegraded", "True"),
    age: 60,
    severity: "blocking",
  },
  {
    id: "KubeletConfigFailed",
    plant: create(kubeletConfig("static-pods", { staticPodPath: "/etc/pods" })),
    isThere: reports("KubeletConfig/static-pods", "Accepted", "False"),
    age: 60,
    severity: "blocking",
    end: remove("KubeletConfig/static-pods"),
  },
  {
    id: "NotRendered",
    plant: fault(keys.pool, "render-delay", "10h"),
    isThere: always,
    age: 300,
    severity: "blocking",
    end: fault(keys.pool, "render-delay", "1s"),
  },
  {
    id: "ControllerDown",
    by: "a pool that is not reconciled",
    plant: (simulation) => {
      fault(keys.pool, "operator-down")(simulation);
      edit(keys.pool, { spec: { maxUnavailable: 1 } })(simulation);
    },
    isThere: always,
    age: 300,
    severity: "blocking",
    end: fault(keys.pool, "operator-down", null),
  },
  {
    id: "ControllerDown",
    by: "a drain without a report",
    scenario: {
      ...small,
      faults: [
        { afterSeconds: 605, kind: "MachineConfigPool", name: "worker", annotation: "operator-down", value: "" },
      ],
      durations: { ...small.durations, render: 1 },
    },
    isThere: isDraining(),
    age: 600,
    severity: "blocking",
    end: fault(keys.pool, "operator-down", null),
    lingers: attempt,
  },
  {
    id: "ControllerDown",
    by: "a node that waits for its uncordon",
    scenario: {
      ...small,
      faults: [
        { afterSeconds: 1500, kind: "MachineConfigPool", name: "worker", annotation: "operator-down", value: "" },
      ],
      durations: { ...small.durations, render: 1 },
    },
    plant: fault(keys.node, "slow-reboot", "20m"),
    isThere: isUncordonOpen,
    age: 600,
    severity: "blocking",
    end: fault(keys.pool, "operator-down", null),
    lingers: 20,
  },
  {
    id: "InvalidMaxUnavailable",
    scenario: poolsWith({ maxUnavailable: "2" }),
    isThere: isRendered,
    age: 0,
    severity: "blocking",
    end: edit(keys.pool, { spec: { maxUnavailable: 2 } }),
  },
  {
    id: "MaxUnavailableUsed",
    plant: cordon,
    isThere: isRendered,
    age: 300,
    severity: "blocking",
    end: uncordon,
  },
  {
    id: "CordonedByPerson",
    scenario: poolsWith({ maxUnavailable: 2 }),
    plant: cordon,
    isThere: isRendered,
    age: 0,
    severity: "warning",
    end: uncordon,
  },
  {
    id: "CertificateExpired",
    ...annotated(keys.pool, "certificate-expired", "CN=old"),
    isThere: ({ objects }) => JSON.stringify(objects.get(keys.pool)).includes("2001-02-03"),
    age: 0,
    severity: "warning",
  },
  degraded("OnDiskState", "unexpected on-disk state validating against rendered-1: content mismatch for file /etc/a"),
  degraded("Unreconcilable", "can't reconcile config rendered-1 with rendered-2: ignition disks section changes"),
  degraded("KernelArgumentsFailed", "failed to update OS: running rpm-ostree kargs failed: exit status 1"),
  degraded("OSUpdateFailed", "failed to update OS to quay.invalid/os: error running rpm-ostree rebase"),
  degraded("NodeDegraded", "disk is full"),
  slowReboot("RebootOverdue", psi),
  slowReboot("KubeletDown", swap),
  {
    id: "VirtDegraded",
    by: "KubeVirt",
    ...annotated(keys.kubevirt, "degrade", "no nodes"),
    isThere: reports(keys.kubevirt, "Degraded", "True"),
    age: 300,
    severity: "warning",
    lingers: 60,
  },
  {
    id: "VirtDegraded",
    by: "HyperConverged",
    ...annotated(keys.hco, "degrade", "no nodes"),
    isThere: reports(keys.hco, "Degraded", "True"),
    age: 300,
    severity: "warning",
    lingers: 60,
  },
  {
    id: "DeschedulerDegraded",
    scenario: { ...small, descheduler: { namespace: "descheduler", spec: { managementState: "Managed" } } },
    ...annotated("KubeDescheduler/descheduler/cluster", "degrade", "no image"),
    isThere: reports("KubeDescheduler/descheduler/cluster", "TargetConfigControllerDegraded", "True"),
    age: 300,
    severity: "warning",
    lingers: 60,
  },
];
