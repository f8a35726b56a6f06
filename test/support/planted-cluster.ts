// A cluster of static objects without controllers: nodes, pools, VMs, pods and budgets.

import type { Impact, JsonMap, KubeObject, Spec, Status } from "@virt/api";
import { nodeObject, poolObject, type VmGiven, vmObject } from "@virt/impact/testing/cluster-builder";
import { at } from "@virt/objects";
import type { ApiUser } from "@virt/testkit";
import { expect } from "vitest";
import { loadAware, paths, readAt } from "./advisor.ts";
import { create, createHco, createNamespace, request } from "./advisor-objects.ts";
import type { RunningAdvisor } from "./advisor-suite.ts";

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
    const post = (path: string, body: KubeObject) => create(this.#actor, path, body);
    await this.plantNamespace();
    const { apiVersion } = poolObject("worker");
    await post(`/apis/${apiVersion}/machineconfigs`, { ...named(apiVersion, "MachineConfig", "rendered-1"), spec: {} });
    for (const name of ["master", "worker"]) await post(`/apis/${apiVersion}/machineconfigpools`, poolObject(name));
    await createHco(this.#actor, { evictionStrategy: "LiveMigrate" });
    const infrastructures = "/apis/config.openshift.io/v1/infrastructures";
    await post(infrastructures, { ...named("config.openshift.io/v1", "Infrastructure", "cluster"), spec: {} });
    const status = { controlPlaneTopology: "HighlyAvailable", platformStatus: { type: "BareMetal" } };
    await this.change(`${infrastructures}/cluster/status`, { status });
  }

  async plantNamespace(): Promise<void> {
    await createNamespace(this.#actor, this.#namespace);
    const path = `/api/v1/namespaces/${this.#namespace}/serviceaccounts`;
    await create(this.#actor, path, named("v1", "ServiceAccount", "default"));
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
    await request(this.#actor, { method: "PATCH", path, body });
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
    await create(this.#actor, place, isWhole ? { ...object, status } : object);
    const path = `${place}/${object.metadata.name}`;
    this.#planted.push(path);
    if (status !== undefined && !isWhole) await this.change(`${path}/status`, { status });
    // The API server taints a new node as not ready.
    if (object.kind === "Node") await this.change(path, { spec: { taints: at(object, "spec", "taints") ?? null } });
  }
}

export const noVms = { migrate: 0, block: 0, stop: 0, restart: 0, external: 0, starting: 0, unknown: 0 };

/** Twelve workers in three zones. */
export const zonedWorkers = Array.from({ length: 12 }, (_, at) =>
  nodeObject(`w-${at}`, { zone: "abc".charAt(at % 3) }),
);

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

export const isAssessed = ({ impact }: Status): boolean => impact !== undefined;

/** Creates a config and waits for its impact. */
export async function createAssessed(
  { configs }: RunningAdvisor,
  profile: string,
  spec: Partial<Spec> = {},
): Promise<Status & { readonly impact: Impact }> {
  await configs.create(profile, spec);
  return (await configs.until(profile, isAssessed)) as Status & { readonly impact: Impact };
}

/** Waits until the load-aware plan has written its MachineConfig. No operator rolls it out. */
export async function untilWritten({ configs, server }: RunningAdvisor): Promise<void> {
  await configs.until(loadAware, "InProgress");
  await expect.poll(() => readAt(server, paths.psi)).toBeDefined();
}
