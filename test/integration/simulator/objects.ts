import type { Server } from "@virt/testkit";
import { expect } from "vitest";
import { type Simulator, timeout } from "./process.ts";

export type SimulatedObject = {
  readonly metadata: {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
    readonly creationTimestamp: string;
    readonly generation: number;
    readonly managedFields: readonly { readonly manager: string }[];
  };
  readonly spec: {
    readonly unschedulable?: boolean;
    readonly configuration?: Configuration;
    readonly evictionStrategy?: string;
  };
  readonly status: {
    readonly conditions: readonly { readonly type: string; readonly status: string; readonly message: string }[];
    readonly nodeName?: string;
    readonly phase?: string;
    readonly configuration?: Configuration;
    readonly machineCount: number;
    readonly updatedMachineCount: number;
    readonly unavailableMachineCount: number;
    readonly degradedMachineCount: number;
    readonly observedGeneration: number;
    readonly nodeInfo: { readonly bootID: string };
  };
};
type Configuration = { readonly name: string; readonly source: readonly { readonly name: string }[] };

export const machineConfiguration = "/apis/machineconfiguration.openshift.io/v1";
export const machineConfigs = `${machineConfiguration}/machineconfigs`;
export const poolPath = (name: string) => `${machineConfiguration}/machineconfigpools/${name}`;
export const machines = "/apis/kubevirt.io/v1/virtualmachineinstances";

export const read = async (api: Server, path: string) => (await api.request({ path })).body as SimulatedObject;
export const list = async (api: Server, path: string) =>
  ((await api.request({ path })).body as { items: readonly SimulatedObject[] }).items;
export const patch = (api: Server, path: string, body: object) => api.request({ method: "PATCH", path, body });
export const fault = (api: Server, path: string, name: string, value: string | null) =>
  patch(api, path, { metadata: { annotations: { [`simulator.kubevirt.io/${name}`]: value } } });
export const condition = ({ status }: SimulatedObject, type: string) =>
  status?.conditions?.find((each) => each.type === type);
export const isReady = (node: SimulatedObject) => condition(node, "Ready")?.status === "True";
export const sources = ({ spec }: SimulatedObject) => spec.configuration?.source.map(({ name }) => name);
export const cordoned = ({ lines }: Simulator) =>
  lines.flatMap((line) => /^node (\S+) is cordoned/.exec(line)?.[1] ?? []);

export async function addConfig(
  api: Server,
  name: string,
  { role = "worker", spec = {} }: { role?: string; spec?: object } = {},
): Promise<void> {
  const metadata = { name, labels: { "machineconfiguration.openshift.io/role": role } };
  const body = { apiVersion: "machineconfiguration.openshift.io/v1", kind: "MachineConfig", metadata, spec };
  expect((await api.request({ method: "POST", path: machineConfigs, body })).status).toBe(201);
}
export const psi = { spec: { kernelArguments: ["psi=1"] } };

export const isUpdatedTo = (pool: SimulatedObject, machineConfig: string) =>
  sources(pool)?.includes(machineConfig) === true &&
  pool.status.configuration?.name === pool.spec.configuration?.name &&
  condition(pool, "Updated")?.status === "True";
export async function untilUpdated(api: Server, name: string, machineConfig: string): Promise<void> {
  await expect.poll(async () => isUpdatedTo(await read(api, poolPath(name)), machineConfig), timeout).toBe(true);
}
