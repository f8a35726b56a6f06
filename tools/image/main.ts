// `make image`: writes dist/image.tar and prints its digest in a registry.

import { renameSync, writeFileSync } from "node:fs";
import { architectures } from "../platforms.ts";
import { startProgress } from "../progress.ts";
import { buildImage, obtainImageInputs } from "./build-image.ts";

const file = "dist/image.tar";
const progress = startProgress("image", process.stderr);
try {
  progress.update("packages");
  const inputs = obtainImageInputs(process.env, Date.now());
  const { bytes, digest } = buildImage(inputs, progress.update);
  writeFileSync(`${file}.new`, bytes);
  renameSync(`${file}.new`, file);
  const platforms = architectures.map((name) => `linux/${name}`).join(" and ");
  progress.done(`for ${platforms}: ${file}, ${Math.round(bytes.length / 1e6)} MB`);
  if (inputs.debian.stale !== undefined)
    process.stderr.write(`  of packages that were fetched earlier, because of apt-get: ${inputs.debian.stale}\n`);
  process.stdout.write(`${digest}\n`);
} catch (error) {
  progress.fail();
  process.stderr.write(`make: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
