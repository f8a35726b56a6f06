// Reads base-images.json for the Dockerfile's build arguments, and pins it to current digests (`make base-images`).

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

/** `digest` is null until the image is pinned. A build then takes the latest image with that name. */
type BaseImage = { readonly image: string; readonly digest: string | null };
export type BaseImages = Readonly<Record<"BUILDER" | "BASE", BaseImage>>;

const file = "base-images.json";

export function readBaseImages(from = file): BaseImages {
  return JSON.parse(readFileSync(from, "utf8")) as BaseImages;
}

/** Returns the value of each build argument. The environment takes precedence, for sites with their own registry. */
export function baseArguments(images: BaseImages, env: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  const named = Object.entries(images).map(([name, { image, digest }]) => {
    const given = env[name] ?? "";
    return [name, given === "" ? [image, ...(digest === null ? [] : [digest])].join("@") : given];
  });
  return Object.fromEntries(named) as Readonly<Record<string, string>>;
}

/** Returns a warning if the registry chooses a base image, or undefined if each one is pinned or given. */
export function unpinnedWarning(images: BaseImages, env: NodeJS.ProcessEnv): string | undefined {
  const open = Object.entries(images).filter(([name, { digest }]) => digest === null && (env[name] ?? "") === "");
  if (open.length === 0) return undefined;
  const names = open.map(([, { image }]) => image).join(", ");
  return `Warning: ${file} has no digest for ${names}. The build takes the image that this name has in the registry now. To pin the base images, run: make base-images`;
}

/** Writes the current digest of every base image, read from its registry with skopeo. */
export function pinBaseImages(into = file): void {
  const pinned = Object.entries(readBaseImages(into)).map(([name, { image }]) => {
    const digest = digestOf(image);
    process.stdout.write(`${name} is ${image}@${digest}\n`);
    return `  "${name}": { "image": "${image}", "digest": "${digest}" }`;
  });
  writeFileSync(into, `{\n${pinned.join(",\n")}\n}\n`);
}

function digestOf(image: string): string {
  const args = ["inspect", "--no-tags", "--format", "{{.Digest}}", `docker://${image}`];
  const { error, status, stdout, stderr } = spawnSync("skopeo", args, { encoding: "utf8" });
  if (error !== undefined)
    throw new Error(`cannot run skopeo: ${error.message}. Next: install skopeo`, { cause: error });
  const digest = stdout.trim();
  if (status !== 0 || !/^sha256:[0-9a-f]{64}$/.test(digest))
    throw new Error(`skopeo cannot read the digest of ${image}: ${stderr.trim() || digest}`);
  return digest;
}
