// `make build-installer`, `build-chart`, `bundle`: write the named packages or all. --check only lists those that are
// out of date.

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { inRepository } from "@virt/testkit";
import { bundleFiles } from "./bundle/bundle.ts";
import { chartFiles } from "./chart/chart.ts";
import { type PackageFiles, staleFiles, writeFiles } from "./files.ts";
import { installerFiles } from "./installer.ts";
import { anyImage, type Product, readManifests } from "./manifests.ts";

const packages: Readonly<Record<string, (product: Product) => PackageFiles>> = {
  installer: ({ manifests }) => installerFiles(manifests.both),
  chart: chartFiles,
  bundle: bundleFiles,
};

const {
  values: { check: isCheck = false },
  positionals: named,
} = parseArgs({ options: { check: { type: "boolean" } }, allowPositionals: true });
const { version } = JSON.parse(readFileSync(inRepository("package.json"), "utf8")) as { version: string };
// A check ignores IMG, because committed files name no image.
const image = isCheck ? anyImage : process.env["IMG"] || anyImage;
const product = { manifests: await readManifests(image), version, image };

for (const name of named.length > 0 ? named : Object.keys(packages)) {
  const files = packages[name]?.(product);
  if (files === undefined) throw new Error(`there is no package ${name}, only ${Object.keys(packages).join(", ")}`);
  const stale = staleFiles(files, inRepository());
  if (!isCheck) writeFiles(files, inRepository());
  for (const file of stale)
    process.stdout.write(isCheck ? `${file} is not current: run make packages\n` : `  ${file}\n`);
  if (isCheck && stale.length > 0) process.exitCode = 1;
}
