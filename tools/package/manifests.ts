// Reads the objects that kustomize builds from config/: the source of every package.

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { KubeObject } from "@virt/objects";
import { inRepository, obtainBinaries } from "@virt/testkit";
import { loadAll } from "js-yaml";
import { withImage } from "../deploy/manifests.ts";

export type Manifests = {
  readonly both: readonly KubeObject[];
  readonly advisor: readonly KubeObject[];
  readonly platform: readonly KubeObject[];
  readonly exampleProfile: readonly KubeObject[];
  /** Objects that need the CRDs of the Prometheus operator. The other lists exclude them. */
  readonly monitoring: readonly KubeObject[];
  /** The OpenShift console plugin, which only OpenShift supports. */
  readonly console: readonly KubeObject[];
  readonly samples: readonly KubeObject[];
};

export type Product = { readonly manifests: Manifests; readonly version: string; readonly image: string };

export const anyImage = "controller:latest";

export async function readManifests(image: string): Promise<Manifests> {
  const { folder } = await obtainBinaries(process.env, () => undefined);
  const objects = (name: string) =>
    loadAll(withImage(kustomize(join(folder, "kubectl"), name), image)) as unknown as readonly KubeObject[];
  return {
    both: objects("default"),
    exampleProfile: objects("example-profile"),
    advisor: objects("advisor"),
    platform: objects("platform"),
    monitoring: objects("prometheus"),
    console: objects("console"),
    samples: objects("samples"),
  };
}

function kustomize(kubectl: string, name: string): string {
  return execFileSync(kubectl, ["kustomize", inRepository("config", name)], { encoding: "utf8", maxBuffer: 2 ** 26 });
}

export function identity({ kind, metadata }: KubeObject): string {
  return [kind, metadata.namespace, metadata.name].filter((part) => part !== undefined).join("/");
}
