import type { KubeObject } from "@virt/api";
import { inRepository, type KubectlResult, type Server } from "@virt/testkit";
import { loadAll } from "js-yaml";

export const ownNamespaces = ["virt-advisor-operator-system", "virt-platform-operator-system"];

export async function objectsOf(server: Server, folder: string): Promise<readonly KubeObject[]> {
  const { stdout } = succeeded(await server.kubectl("kustomize", inRepository("config", folder)));
  return loadAll(stdout) as unknown as readonly KubeObject[];
}

export function deploymentsIn(objects: readonly KubeObject[]): readonly Deployment[] {
  return objects.filter(({ kind }) => kind === "Deployment") as unknown as readonly Deployment[];
}

export type Deployment = KubeObject & {
  readonly metadata: { readonly namespace: string };
  readonly spec: { readonly template: { readonly metadata: object; readonly spec: PodSpec } };
};

type PodSpec = { readonly serviceAccountName: string; readonly containers: readonly [Container] };

type Container = {
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly resources: { readonly limits: { readonly memory: string } };
};

export function succeeded(output: KubectlResult): KubectlResult {
  if (output.code !== 0) throw new Error(output.stderr);
  return output;
}
