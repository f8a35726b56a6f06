// Writes a multi-platform image as an OCI archive that podman, skopeo and docker can load.

import { createHash } from "node:crypto";
import { constants, gzipSync } from "node:zlib";
import type { ImageDescription } from "./dockerfile.ts";
import { type FileTree, type TarEntry, writeTar } from "./tar.ts";

export type PlatformImage = {
  readonly architecture: string;
  /** In order, starting with the lowest layer. */
  readonly layers: readonly FileTree[];
};

export type OciArchive = {
  readonly bytes: Buffer;
  /** The digest of the index over all platforms, which is the image's digest in a registry. */
  readonly digest: string;
};

type Descriptor = { readonly mediaType: string; readonly digest: string; readonly size: number };

const mediaTypes = {
  index: "application/vnd.oci.image.index.v1+json",
  manifest: "application/vnd.oci.image.manifest.v1+json",
  config: "application/vnd.oci.image.config.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar+gzip",
} as const;

const beginning = "1970-01-01T00:00:00Z";
const os = "linux";

export type ArchiveOptions = {
  readonly description: ImageDescription;
  readonly version: string;
  readonly images: Iterable<PlatformImage>;
};

export function writeOciArchive({ description, version, images }: ArchiveOptions): OciArchive {
  const blobs = new BlobStore();
  const labels = {
    ...description.labels,
    "org.opencontainers.image.title": description.labels["name"] ?? "",
    "org.opencontainers.image.description": description.labels["summary"] ?? "",
    "org.opencontainers.image.version": version,
    "org.opencontainers.image.licenses": "Apache-2.0",
  };
  const manifests = [];
  for (const { architecture, layers } of images) {
    const packed = layers.map((tree) => blobs.addLayer(tree));
    const config = blobs.addJson(mediaTypes.config, {
      created: beginning,
      architecture,
      os,
      config: {
        User: description.user,
        Env: [`PATH=/usr/bin`, ...description.environment],
        Entrypoint: description.entrypoint,
        WorkingDir: "/",
        Labels: labels,
      },
      rootfs: { type: "layers", diff_ids: packed.map(({ contentDigest }) => contentDigest) },
      history: layers.map(() => ({ created: beginning, created_by: "make image" })),
    });
    const manifest = blobs.addJson(mediaTypes.manifest, {
      schemaVersion: 2,
      mediaType: mediaTypes.manifest,
      config,
      layers: packed.map(({ descriptor }) => descriptor),
    });
    manifests.push({ ...manifest, platform: { architecture, os } });
  }
  const index = blobs.addJson(mediaTypes.index, { schemaVersion: 2, mediaType: mediaTypes.index, manifests });
  const name = { "org.opencontainers.image.ref.name": version };
  const tree = new Map(blobs.tree);
  tree.set("oci-layout", jsonFile({ imageLayoutVersion: "1.0.0" }));
  // Uses one entry for all platforms, because with several entries, tools ask which image to use.
  tree.set("index.json", jsonFile({ schemaVersion: 2, manifests: [{ ...index, annotations: name }] }));
  return { bytes: writeTar(tree), digest: index.digest };
}

class BlobStore {
  readonly tree = new Map<string, TarEntry>();

  addJson(mediaType: string, value: unknown): Descriptor {
    return this.#add(mediaType, Buffer.from(JSON.stringify(value)));
  }

  addLayer(tree: FileTree): { readonly descriptor: Descriptor; readonly contentDigest: string } {
    const content = writeTar(tree);
    // Node writes no timestamp and no name into the gzip header.
    const packed = gzipSync(content, { level: constants.Z_DEFAULT_COMPRESSION });
    return { descriptor: this.#add(mediaTypes.layer, packed), contentDigest: digestOf(content) };
  }

  #add(mediaType: string, content: Buffer): Descriptor {
    const digest = digestOf(content);
    this.tree.set(`blobs/${digest.replace(":", "/")}`, { kind: "file", mode: 0o644, content });
    return { mediaType, digest, size: content.length };
  }
}

function digestOf(content: Buffer): string {
  return `sha256:${createHash("sha256").update(content).digest("hex")}`;
}

function jsonFile(value: unknown): TarEntry {
  return { kind: "file", mode: 0o644, content: Buffer.from(JSON.stringify(value)) };
}
