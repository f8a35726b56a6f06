// Builds the image for all platforms from packages, without an engine, a registry or package scripts.

import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { LockFile } from "../package/sbom/shipped.ts";
import { architectures } from "../platforms.ts";
import { extendBill } from "./bill-of-materials.ts";
import { type FoundPackages, obtainDebianPackages } from "./debian-packages.ts";
import { readDockerfile } from "./dockerfile.ts";
import { type NodePackage, obtainNodePackage } from "./node-package.ts";
import { type OciArchive, type PlatformImage, writeOciArchive } from "./oci.ts";
import { operatorFiles, systemFiles } from "./root-files.ts";

export type ImageInputs = {
  readonly debian: FoundPackages;
  readonly nodes: ReadonlyMap<string, NodePackage>;
};

export function obtainImageInputs(env: NodeJS.ProcessEnv, now: number): ImageInputs {
  const caches = env["XDG_CACHE_HOME"] || join(env["HOME"] || homedir(), ".cache");
  const cache = join(caches, "virt-operators", "image");
  const lock = JSON.parse(readFileSync("package-lock.json", "utf8")) as LockFile;
  return {
    debian: obtainDebianPackages(cache, now),
    nodes: new Map(architectures.map((name) => [name, obtainNodePackage(cache, name, lock)])),
  };
}

/** Run after `make build`, in the repository root. Reproducible: equal inputs give equal bytes. */
export function buildImage(inputs: ImageInputs, report: (progress: string) => void): OciArchive {
  if (!existsSync("dist/sbom.cdx.json")) throw new Error("there is no dist/sbom.cdx.json: run make build");
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly version: string };
  const description = readDockerfile();
  function* images(): Iterable<PlatformImage> {
    for (const [architecture, node] of inputs.nodes) {
      report(architecture);
      const packages = inputs.debian.packages.filter((one) => [architecture, "all"].includes(one.architecture));
      const bill = extendBill(readFileSync("dist/sbom.cdx.json", "utf8"), { node, packages });
      yield { architecture, layers: [systemFiles(packages, node), operatorFiles(description, bill)] };
    }
  }
  return writeOciArchive({ description, version: `v${version}`, images: images() });
}
