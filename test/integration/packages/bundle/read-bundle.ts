import { globSync, readFileSync } from "node:fs";
import { at, type KubeObject } from "@virt/objects";
import { inRepository } from "@virt/testkit";
import { load, loadAll } from "js-yaml";

const read = (file: string): string => readFileSync(inRepository("bundle", file), "utf8");

export const csv = load(read("manifests/virt-operators.clusterserviceversion.yaml")) as KubeObject;

export const annotations = csv.metadata.annotations ?? {};

export const install = at(csv, "spec", "install", "spec");

export const beside = globSync("*.yaml", { cwd: inRepository("bundle", "manifests") })
  .filter((file) => !file.includes("clusterserviceversion"))
  .map((file) => load(read(`manifests/${file}`)) as KubeObject);

export const policies = loadAll(read("admission.yaml")) as unknown as readonly KubeObject[];
