// Writes the licences and the bill of materials that ship with the programs.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Metafile } from "esbuild";
import { noticesOf } from "./notices.ts";
import { sbomOf } from "./sbom.ts";
import { type LockFile, shippedPackages } from "./shipped.ts";

/** A file of the image and its bundler metafiles. Without metafiles, it contains no third-party code. */
export type ShippedProgram = { readonly file: string; readonly metafiles: readonly Metafile[] };

export function writePluginNotices(file: string, metafiles: readonly Metafile[]): void {
  const lock = JSON.parse(readFileSync("package-lock.json", "utf8")) as LockFile;
  const notices = noticesOf(shippedPackages(metafiles, lock), ".", "kubectl-virt_advisor and its pages");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, notices);
}

/** Run in the repository root, like the bundler. */
export function writePapers(folder: string, programs: readonly ShippedProgram[], version: string): void {
  const lock = JSON.parse(readFileSync("package-lock.json", "utf8")) as LockFile;
  const all = programs.flatMap(({ metafiles }) => metafiles);
  const notices = noticesOf(shippedPackages(all, lock), ".");
  const files = [
    ...programs.map(({ file, metafiles }) => ({
      name: basename(file),
      content: readFileSync(file),
      ...(metafiles.length > 0 && { packages: shippedPackages(metafiles, lock) }),
    })),
    { name: "LICENSE", content: readFileSync("LICENSE") },
    { name: "THIRD_PARTY_NOTICES", content: notices },
  ];
  writeFileSync(join(folder, "THIRD_PARTY_NOTICES"), notices);
  writeFileSync(join(folder, "sbom.cdx.json"), sbomOf({ version, files }));
}
