// Which programs make a control plane, and which versions of them tools/controlplane/go.mod pins.

import { readFileSync } from "node:fs";
import { inRepository } from "../repository.ts";

export const programs = ["kube-apiserver", "etcd", "kubectl"] as const;

export const moduleFolder = inRepository("tools", "controlplane");

export type Pins = { readonly kubernetes: string; readonly etcd: string };

export function readPins(goMod = readFileSync(`${moduleFolder}/go.mod`, "utf8")): Pins {
  return { kubernetes: version(goMod, "k8s.io/kubernetes"), etcd: version(goMod, "go.etcd.io/etcd/server/v3") };
}

function version(goMod: string, module: string): string {
  const line = goMod.split("\n").find((text) => text.trim().startsWith(`${module} v`));
  const found = line?.trim().split(" ")[1];
  if (found === undefined) throw new Error(`tools/controlplane/go.mod does not require ${module}`);
  return found.slice(1);
}
