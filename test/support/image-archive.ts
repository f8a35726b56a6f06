// Reads and unpacks the image of `make image` like a container runtime.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inRepository } from "@virt/testkit";

export type ImageConfig = {
  readonly architecture: string;
  readonly os: string;
  readonly config: {
    readonly User: string;
    readonly Env: readonly string[];
    readonly Entrypoint: readonly string[];
    readonly Labels: Readonly<Record<string, string>>;
  };
};

export type ImageArchive = {
  readonly digest: string;
  readonly images: readonly ImageConfig[];
  /** Returns the folder of the root file system. Unpacks it on the first call. */
  readonly unpackRoot: (architecture: string) => string;
  readonly layerSizes: (architecture: string) => readonly number[];
  readonly [Symbol.dispose]: () => void;
};

type Descriptor = { readonly digest: string; readonly size: number };
type Index = { readonly manifests: readonly Descriptor[] };
type Manifest = { readonly config: Descriptor; readonly layers: readonly Descriptor[] };

export function openImageArchive(file = inRepository("dist", "image.tar")): ImageArchive {
  if (!existsSync(file)) throw new Error("there is no dist/image.tar: run make image");
  const folder = mkdtempSync(join(tmpdir(), "image-archive-"));
  runTar("-xf", file, "-C", folder);
  const fileOf = ({ digest }: Descriptor) => join(folder, "blobs", digest.replace(":", "/"));
  const blob = (descriptor: Descriptor): unknown => JSON.parse(readFileSync(fileOf(descriptor), "utf8"));
  const layout = JSON.parse(readFileSync(join(folder, "index.json"), "utf8")) as Index;
  const [top] = layout.manifests;
  if (top === undefined || layout.manifests.length > 1) throw new Error("the archive does not hold exactly one image");
  const parts = (blob(top) as Index).manifests.map((descriptor) => {
    const { config, layers } = blob(descriptor) as Manifest;
    return { config: blob(config) as ImageConfig, layers };
  });
  const layersFor = (architecture: string) =>
    parts.find(({ config }) => config.architecture === architecture)?.layers ?? [];
  return {
    digest: top.digest,
    images: parts.map(({ config }) => config),
    unpackRoot: (architecture) => {
      const root = join(folder, architecture);
      if (!existsSync(root)) {
        mkdirSync(root);
        for (const layer of layersFor(architecture)) runTar("-xzf", fileOf(layer), "-C", root);
      }
      return root;
    },
    layerSizes: (architecture) => layersFor(architecture).map(({ size }) => size),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function runTar(...args: readonly string[]): void {
  const { status, stderr, error } = spawnSync("tar", args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`tar: ${error?.message ?? stderr.trim()}`);
}
