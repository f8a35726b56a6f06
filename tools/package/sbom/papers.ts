// What is shipped beside the program: the licences of its parts, and the bill of materials of all shipped files.

import { readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Metafile } from "esbuild";
import { noticesOf } from "./notices.ts";
import { sbomOf } from "./sbom.ts";
import { type LockFile, shippedPackages } from "./shipped.ts";

export type Program = { readonly file: string; readonly metafile: Metafile; readonly version: string };

/** Written into the program's folder. The working folder is the repository's root, as it is for the bundler. */
export function writePapers({ file, metafile, version }: Program): void {
  const lock = JSON.parse(readFileSync("package-lock.json", "utf8")) as LockFile;
  const packages = shippedPackages(metafile, lock);
  const notices = noticesOf(packages, ".");
  const sbom = sbomOf({
    version,
    packages,
    files: [
      { name: basename(file), content: readFileSync(file) },
      { name: "LICENSE", content: readFileSync("LICENSE") },
      { name: "THIRD_PARTY_NOTICES", content: notices },
    ],
  });
  writeFileSync(join(dirname(file), "THIRD_PARTY_NOTICES"), notices);
  writeFileSync(join(dirname(file), "sbom.cdx.json"), sbom);
}
