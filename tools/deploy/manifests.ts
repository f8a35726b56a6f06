// Renders an overlay for `make deploy`: sets the image, and adds monitoring if the cluster supports it.

import type { Cluster } from "./kubectl.ts";

export type Manifest = { readonly kind: string; readonly name: string; readonly text: string };

const overlays: Readonly<Record<string, readonly string[]>> = {
  default: ["advisor", "platform"],
  advisor: ["advisor"],
  platform: ["platform"],
  "example-profile": ["advisor", "platform"],
};

export function controllersOf(overlay: string): readonly string[] {
  const controllers = overlays[overlay];
  if (controllers === undefined) {
    throw new Error(`OVERLAY=${overlay}: must be one of: ${Object.keys(overlays).join(", ")}`);
  }
  return controllers;
}

export function manifestsOf(cluster: Cluster, overlay: string): readonly Manifest[] {
  const monitored = isServed(cluster, "servicemonitors.monitoring.coreos.com") ? controllersOf(overlay) : [];
  const folders = [`config/${overlay}`, ...monitored.map((controller) => `config/prometheus/${controller}`)];
  return folders.flatMap((folder) => documents(cluster.ask("kustomize", folder)));
}

/** Includes the permissions of example-profile, which another overlay may have installed. */
export function removableManifests(cluster: Cluster, overlay: string): readonly Manifest[] {
  const hasAdvisor = controllersOf(overlay).includes("advisor");
  const optional = hasAdvisor ? documents(cluster.ask("kustomize", "config/rbac/example-profile")) : [];
  return [...manifestsOf(cluster, overlay), ...optional];
}

function isServed(cluster: Cluster, resource: string): boolean {
  return cluster.ask("api-resources", "--output=name").split("\n").includes(resource);
}

export function inOneText(manifests: readonly Manifest[]): string {
  return manifests.map(({ text }) => text).join("---\n");
}

export function withImage(text: string, image: string): string {
  return text.replaceAll(/^( *(?:- )?image:) controller:latest$/gm, `$1 ${image}`);
}

function documents(text: string): readonly Manifest[] {
  return text.split(/^---\n/m).map((one) => ({ text: one, kind: valueOf(one, "kind"), name: valueOf(one, "  name") }));
}

function valueOf(text: string, key: string): string {
  return new RegExp(`^${key}: (.*)$`, "m").exec(text)?.[1] ?? "";
}
