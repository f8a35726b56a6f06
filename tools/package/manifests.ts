// The objects that kustomize makes of the folders in config/: what every package is made of.

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { KubeObject } from "@virt/engine";
import { inRepository, obtainBinaries } from "@virt/testkit";
import { loadAll } from "js-yaml";
import { withImage } from "../deploy/manifests.ts";

export type Manifests = {
  /** Both controllers. */
  readonly both: readonly KubeObject[];
  readonly advisor: readonly KubeObject[];
  readonly platform: readonly KubeObject[];
  /** Both controllers, with example-profile enabled. */
  readonly exampleProfile: readonly KubeObject[];
  /** What needs the CRDs of the Prometheus operator, and is therefore no part of the others. */
  readonly monitoring: readonly KubeObject[];
  /** The plugin of OpenShift's console, which only OpenShift can take. */
  readonly console: readonly KubeObject[];
  /** VirtPlatformConfigs to begin with. */
  readonly samples: readonly KubeObject[];
};

export type Product = { readonly manifests: Manifests; readonly version: string; readonly image: string };

/** The image that the manifests name until somebody says which one to run. */
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

/** Tells objects apart, whoever made them. */
export function identity({ kind, metadata }: KubeObject): string {
  return [kind, metadata.namespace, metadata.name].filter((part) => part !== undefined).join("/");
}
