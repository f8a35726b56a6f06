// A cluster of static objects without controllers: nodes, pools, VMs, pods and budgets.

import type { JsonMap, KubeObject } from "@virt/api";
import { poolObject, type VmGiven, vmObject } from "@virt/impact/testing/cluster-builder";
import { at } from "@virt/objects";
import type { ApiUser } from "@virt/testkit";
import { paths } from "./advisor.ts";

const placesIn = (namespace: string): Readonly<Record<string, string>> => ({
  Node: "/api/v1/nodes",
  Pod: `/api/v1/namespaces/${namespace}/pods`,
  PodDisruptionBudget: `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`,
  VirtualMachineInstance: `/apis/kubevirt.io/v1/namespaces/${namespace}/virtualmachineinstances`,
  VirtualMachine: `/apis/kubevirt.io/v1/namespaces/${namespace}/virtualmachines`,
  MachineConfigPool: paths.pool("").slice(0, -1),
  KubeletConfig: "/apis/machineconfiguration.openshift.io/v1/kubeletconfigs",
  MachineConfiguration: "/apis/operator.openshift.io/v1/machineconfigurations",
});
const named = (apiVersion: string, kind: string, name: string) => ({ apiVersion, kind, metadata: { name } });
/** Kinds without a status subresource. */
const withStatus = ["VirtualMachineInstance"];

export type PlantedVm = VmGiven & { readonly name: string; readonly node: string };

export class PlantedCluster {
  readonly #actor: ApiUser;
  readonly #namespace: string;
  readonly #planted: string[] = [];

  constructor(actor: ApiUser, namespace = "vms") {
    this.#actor = actor;
    this.#namespace = namespace;
  }

  /** Creates objects that every test needs: up-to-date pools, a HyperConverged and bare metal. */
  async plantPlatform(): Promise<void> {
    const post = (path: string, body: KubeObject) => this.#send({ method: "POST", path, body });
    await this.plantNamespace();
    const { apiVersion } = poolObject("worker");
    await post(`/apis/${apiVersion}/machineconfigs`, { ...named(apiVersion, "MachineConfig", "rendered-1"), spec: {} });
    for (const name of ["master", "worker"]) await post(`/apis/${apiVersion}/machineconfigpools`, poolObject(name));
    const hco = named("hco.kubevirt.io/v1beta1", "HyperConverged", "kubevirt-hyperconverged");
    await post(paths.hco.replace(/\/[^/]+$/, ""), { ...hco, spec: { evictionStrategy: "LiveMigrate" } });
    const infrastructures = "/apis/config.openshift.io/v1/infrastructures";
    await post(infrastructures, { ...named("config.openshift.io/v1", "Infrastructure", "cluster"), spec: {} });
    const status = { controlPlaneTopology: "HighlyAvailable", platformStatus: { type: "BareMetal" } };
    await this.change(`${infrastructures}/cluster/status`, { status });
  }

  async plantNamespace(): Promise<void> {
    const namespaces = "/api/v1/namespaces";
    await this.#send({ method: "POST", path: namespaces, body: named("v1", "Namespace", this.#namespace) });
    const path = `${namespaces}/${this.#namespace}/serviceaccounts`;
    await this.#send({ method: "POST", path, body: named("v1", "ServiceAccount", "default") });
  }

  /** Creates objects in parallel, except nodes: a rollout follows their age in seconds. */
  async plant(objects: readonly KubeObject[]): Promise<void> {
    for (const node of objects.filter(({ kind }) => kind === "Node")) await this.#plantOne(node);
    const left = objects.filter(({ kind }) => kind !== "Node").values();
    const worker = async () => {
      for (const object of left) await this.#plantOne(object);
    };
    await Promise.all(Array.from({ length: 8 }, worker));
  }

  async plantVms(vms: readonly PlantedVm[]): Promise<void> {
    await this.plant(vms.flatMap(objectsOf));
  }

  async change(path: string, body: JsonMap): Promise<void> {
    await this.#send({ method: "PATCH", path, body });
  }

  async clear(): Promise<void> {
    const left = this.#planted.splice(0).values();
    const worker = async () => {
      for (const path of left) await this.#actor.request({ method: "DELETE", path: `${path}?gracePeriodSeconds=0` });
    };
    await Promise.all(Array.from({ length: 8 }, worker));
  }

  async #plantOne({ status, ...object }: KubeObject): Promise<void> {
    const place = placesIn(this.#namespace)[object.kind] ?? "";
    const isWhole = withStatus.includes(object.kind);
    await this.#send({ method: "POST", path: place, body: isWhole ? { ...object, status } : object });
    const path = `${place}/${object.metadata.name}`;
    this.#planted.push(path);
    if (status !== undefined && !isWhole) await this.change(`${path}/status`, { status });
    // The API server taints a new node as not ready.
    if (object.kind === "Node") await this.change(path, { spec: { taints: at(object, "spec", "taints") ?? null } });
  }

  async #send(request: Parameters<ApiUser["request"]>[0]): Promise<void> {
    const { status, body } = await this.#actor.request(request);
    if (status >= 300) throw new Error(JSON.stringify(body));
  }
}

export function vmsOnEach(
  nodes: readonly KubeObject[],
  count: number,
  given: Omit<PlantedVm, "name" | "node"> = {},
): readonly PlantedVm[] {
  return nodes.flatMap(({ metadata: { name } }) =>
    Array.from({ length: count }, (_, at) => ({ name: `${name}-${at}`, node: name, ...given })),
  );
}

const apiVersion = "kubevirt.io/v1";

function objectsOf({ name, node, ...given }: PlantedVm): readonly KubeObject[] {
  const { owner = "Always" } = given;
  const { metadata: _metadata, spec, ...vmi } = vmObject(name, node, given);
  const isOfSet = owner === "VirtualMachineInstanceReplicaSet";
  const kind = isOfSet ? owner : "VirtualMachine";
  const ownerReferences = owner === null ? [] : [{ apiVersion, kind, name, uid: name, controller: true }];
  const domain = { ...(at(spec, "domain") as JsonMap), devices: {} };
  const body = {
    ...vmi,
    metadata: { name, ownerReferences, ...given.metadata },
    spec: { ...(spec as JsonMap), domain },
  };
  const template = { spec: { domain: { devices: {} } } };
  const machine = { apiVersion, kind: "VirtualMachine", metadata: { name }, spec: { runStrategy: owner, template } };
  return [...(owner === null || isOfSet ? [] : [machine]), body];
}

export const podOf = (
  name: string,
  given: { readonly labels?: object; readonly owner?: string; readonly isMirror?: boolean },
) =>
  ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      labels: { ...given.labels },
      ...(given.owner && {
        ownerReferences: [{ apiVersion: "apps/v1", kind: given.owner, name, uid: name, controller: true }],
      }),
      ...(given.isMirror && { annotations: { "kubernetes.io/config.mirror": "x" } }),
    },
    spec: { nodeName: "worker-1", containers: [{ name: "a", image: "a" }] },
  }) as unknown as KubeObject;
export const budgetOf = (name: string, app: string, owner?: string) =>
  ({
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: {
      name,
      ...(owner && {
        ownerReferences: [{ apiVersion: "kubevirt.io/v1", kind: owner, name, uid: name, controller: true }],
      }),
    },
    spec: { minAvailable: 1, selector: { matchLabels: { app } } },
    status: { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
  }) as unknown as KubeObject;
