// `make docker-build`, `docker-push` and `docker-buildx`.

import { spawnSync } from "node:child_process";
import { basename } from "node:path";
import { architectures, operatingSystem } from "../platforms.ts";
import { baseArguments, readBaseImages, unpinnedWarning } from "./base-images.ts";
import { neededEngine } from "./engine.ts";

const { PLATFORMS = architectures.map((name) => `${operatingSystem}/${name}`).join(",") } = process.env;

export function buildImage(image: string): void {
  run(neededEngine(), ["build", ...buildArguments(), "--tag", unpinned(image), "."]);
}

export function pushImage(image: string): void {
  run(neededEngine(), ["push", unpinned(image)]);
}

export function buildImages(image: string): void {
  const engine = neededEngine();
  const name = unpinned(image);
  const platforms = `--platform=${PLATFORMS}`;
  if (engine.endsWith("podman")) {
    run(engine, ["build", ...buildArguments(), platforms, "--manifest", name, "."]);
    run(engine, ["manifest", "push", "--all", name]);
  } else {
    run(engine, ["buildx", "build", ...buildArguments(), platforms, "--tag", name, "--push", "."]);
  }
}

function buildArguments(): readonly string[] {
  const images = readBaseImages();
  const warning = unpinnedWarning(images, process.env);
  if (warning !== undefined) process.stderr.write(`${warning}\n`);
  const given = baseArguments(images, process.env);
  return Object.entries(given).map(([name, value]) => `--build-arg=${name}=${value}`);
}

function unpinned(image: string): string {
  if (image.includes("@")) throw new Error(`IMG=${image}: cannot build an image with a digest; use a tag`);
  return image;
}

export function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): void {
  process.stderr.write(`> ${[basename(command), ...args].join(" ")}\n`);
  const { error, status } = spawnSync(command, args, { stdio: "inherit", env });
  if (error !== undefined) throw new Error(`cannot run ${command}: ${error.message}`, { cause: error });
  if (status !== 0) throw new Error(`${command} ${args[0]} exited with ${status}; see its output above`);
}
