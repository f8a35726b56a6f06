import { existsSync, readFileSync } from "node:fs";
import type { Profile } from "@virt/advisor";
import { asList, asText, at, type JsonMap } from "@virt/objects";
import type { Asset } from "@virt/platform";
import { load } from "js-yaml";

const maintainers = "@kubevirt/virt-operators-maintainers";

export type OwnedCatalog = {
  readonly profiles: readonly Pick<Profile, "name">[];
  readonly assets: readonly Pick<Asset, "name" | "folder">[];
};

export function codeOwners({ profiles, assets }: OwnedCatalog): string {
  return [
    "# Generated from the catalog (make generate). The reviewers of a change. The last matching line wins.",
    "# The teams are placeholders until the repository has a permanent home.",
    ...aligned([["*", maintainers]]),
    "",
    "# The configuration of clusters: the maintainers, and the approvers in the OWNERS file of the folder.",
    ...aligned([
      ...profiles.map(({ name }) => folderLine(`catalog/profiles/${name}`)),
      ...[...new Set(assets.map(({ name, folder }) => `catalog/assets/${folder ?? name}`))].map(folderLine),
    ]),
    "",
    "# The permissions of the operators.",
    ...aligned([
      ["/config/rbac/", maintainers],
      ["/config/admission/", maintainers],
    ]),
    "",
  ].join("\n");
}

type OwnerLine = readonly [path: string, owners: string];

function folderLine(folder: string): OwnerLine {
  return [`/${folder}/`, [maintainers, ...approversOf(`${folder}/OWNERS`)].join(" ")];
}

/**
 * Reads an OWNERS file in the Kubernetes format. Returns no approvers if it is absent, because the maintainers then own
 * the folder.
 */
function approversOf(file: string): readonly string[] {
  if (!existsSync(file)) return [];
  const approvers = asList(at(load(readFileSync(file, "utf8")) as JsonMap, "approvers"));
  return approvers.flatMap((one) => asText(one) ?? []).map((name) => `@${name}`);
}

function aligned(lines: readonly OwnerLine[]): readonly string[] {
  return lines.map(([path, owners]) => `${path.padEnd(44)} ${owners}`);
}
