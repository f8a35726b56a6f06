import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ShippedPackage } from "./shipped.ts";

export function noticesOf(
  packages: readonly ShippedPackage[],
  root: string,
  holders = "The programs of the image",
): string {
  const rule = "-".repeat(80);
  const sections = packages.map((shipped) =>
    [rule, `${shipped.name} ${shipped.version} (${shipped.license})`, rule, "", ...licenceTexts(shipped, root)].join(
      "\n",
    ),
  );
  return [`${holders} contain these packages, under their own licences.\n`, ...sections].join("\n");
}

function licenceTexts({ name, folder }: ShippedPackage, root: string): readonly string[] {
  const files = readdirSync(join(root, folder)).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
  if (files.length === 0) throw new Error(`${name} is in the bundle, but its package has no licence text`);
  return files.toSorted().map(
    (file) =>
      `${readFileSync(join(root, folder, file), "utf8")
        .replace(/^\n+/, "")
        .trimEnd()}\n`,
  );
}
