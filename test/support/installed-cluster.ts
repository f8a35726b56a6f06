// A cluster with the product installed from config/default. Its pods are containers of the image of `make image`.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { inRepository, type Server, startServer } from "@virt/testkit";
import { expect, vi } from "vitest";
import { deploymentsIn, objectsOf, succeeded } from "../integration/shipping/manifests.ts";
import type { ControllerName } from "./account.ts";
import { type RunningContainer, runContainer } from "./container.ts";
import { type ImageArchive, openImageArchive } from "./image-archive.ts";
import { admitPod, fillVolumes } from "./pod.ts";
import { type RunningProgram, startProgram } from "./program.ts";
import { mockCrd } from "./test-cluster.ts";

export type InstalledCluster = {
  readonly server: Server;
  readonly root: string;
  readonly volumesOf: (pod: string) => string;
  /** `userId` is a user ID that OpenShift would choose. Default: the image's user. */
  readonly startPod: (controller: ControllerName, name: string, userId?: number) => Promise<RunningContainer>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

const mocks = [
  "hyperconvergeds-v1beta1",
  "kubedeschedulers-v532",
  "kubeletconfigs",
  "machineconfignodes",
  "machineconfigpools",
  "machineconfigs",
  "prometheusrules",
  "servicemonitors",
  "virtualmachineinstancemigrations",
  "virtualmachineinstances",
];
const foreignNamespaces = ["openshift-cnv", "openshift-kube-descheduler-operator"];
const architecture = process.arch === "x64" ? "amd64" : process.arch;
const simulatedSpeed = 3_000;

export async function startInstalledCluster(scenario: string): Promise<InstalledCluster> {
  const image = openImageArchive();
  const config = image.images.find((one) => one.architecture === architecture)?.config;
  if (config === undefined) throw new Error(`dist/image.tar has no image for ${architecture}`);
  const server = await startServer({ controllerManager: true });
  const simulator = await install(server, scenario).catch(async (error: unknown) => {
    await server.stop();
    throw error;
  });
  const root = image.unpackRoot(architecture);
  const containers: RunningContainer[] = [];
  const folderOf = (pod: string) => join(server.folder, "pods", pod);
  const volumesOf = (pod: string) => join(folderOf(pod), "volumes");
  const deployments = deploymentsIn(await objectsOf(server, "default"));
  return {
    server,
    root,
    volumesOf,
    startPod: async (controller, name, userId) => {
      const namespace = `virt-${controller}-operator-system`;
      const template = deployments.find(({ metadata }) => metadata.namespace === namespace)?.spec.template;
      if (template === undefined) throw new Error(`there is no Deployment in ${namespace}`);
      const pod = await admitPod(server, namespace, name, template);
      const folder = folderOf(name);
      mkdirSync(folder, { recursive: true });
      const volumes = await fillVolumes(server, pod, volumesOf(name));
      const apiServer = new URL(server.url);
      const container = await runContainer({ folder, pod, image: config, root, volumes, userId, apiServer });
      containers.push(container);
      return container;
    },
    [Symbol.asyncDispose]: () => endCluster({ server, image, programs: [simulator, ...containers] }),
  };
}

/** Installs like an administrator, after the operators that the product needs. */
async function install(server: Server, scenario: string): Promise<RunningProgram> {
  await server.installCrds(mocks.map(mockCrd));
  for (const name of foreignNamespaces) succeeded(await server.kubectl("create", "namespace", name));
  succeeded(await server.kubectl("apply", "--server-side", "-k", inRepository("config", "default")));
  await server.installCrds([inRepository("config", "crd", "bases", "advisor.kubevirt.io_virtplatformconfigs.yaml")]);
  const flags = [`--kubeconfig=${server.kubeconfig}`, `--scenario=${scenario}`, `--speed=${simulatedSpeed}`];
  const simulator = startProgram("virt-simulator", [...flags, "--once-ready"]);
  const isReady = () => expect(simulator.log.map(({ msg }) => msg)).toContain("ready");
  await vi.waitFor(isReady, { timeout: 120_000, interval: 50 });
  return simulator;
}

type EndOptions = {
  readonly server: Server;
  readonly image: ImageArchive;
  readonly programs: readonly { readonly [Symbol.asyncDispose]: () => Promise<void> }[];
};

async function endCluster({ server, image, programs }: EndOptions): Promise<void> {
  await Promise.all(programs.map((program) => program[Symbol.asyncDispose]()));
  await server.stop();
  image[Symbol.dispose]();
}
