// Writes the licenses and the bill of materials that ship with the programs.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { noticesOf } from "./notices.ts";
import { sbomOf } from "./sbom.ts";
import { type LockFile, shippedPackages } from "./shipped.ts";

/** A file of the image, and the source files inside it. */
export type ShippedProgram = { readonly file: string; readonly sources: readonly string[] };

export function writePluginNotices(file: string, sources: readonly string[]): void {
  const lock = JSON.parse(readFileSync("package-lock.json", "utf8")) as LockFile;
  const notices = noticesOf(shippedPackages(sources, lock), ".", "kubectl-virt_advisor and its pages");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, notices);
}

/** Runs in the repository root, as the bundler does. */
export function writePapers(folder: string, programs: readonly ShippedProgram[], version: string): void {
  const lock = JSON.parse(readFileSync("package-lock.json", "utf8")) as LockFile;
  const all = programs.flatMap(({ sources }) => sources);
  const notices = noticesOf(shippedPackages(all, lock), ".");
  const files = [
    ...programs.map(({ file, sources }) => ({
      name: basename(file),
      content: readFileSync(file),
      ...(sources.length > 0 && { packages: shippedPackages(sources, lock) }),
    })),
    { name: "LICENSE", content: readFileSync("LICENSE") },
    { name: "THIRD_PARTY_NOTICES", content: notices },
  ];
  writeFileSync(join(folder, "THIRD_PARTY_NOTICES"), notices);
  writeFileSync(join(folder, "sbom.cdx.json"), sbomOf({ version, files }));
}
