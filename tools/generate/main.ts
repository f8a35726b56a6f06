// `make generate` writes the generated files; with --check it only says which of them are not current.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { assets, profiles } from "@virt/catalog";
import { assetTable } from "./asset-table.ts";
import { configDefinition } from "./crd/definition.ts";
import { decisionIndex } from "./decision-index.ts";
import { mockFacts } from "./mock-facts.ts";
import { mockIndex } from "./mock-index.ts";
import { profileTable } from "./profile-table.ts";
import { advisorRole } from "./rbac/advisor-role.ts";
import { platformRole } from "./rbac/platform-role.ts";

/** Each generated file, and the text that it should hold. */
const generated: Readonly<Record<string, string>> = {
  "apps/operator/src/commands/mock-crds.ts": mockFacts(assets),
  "config/crd/bases/advisor.kubevirt.io_virtplatformconfigs.yaml": await configDefinition(profiles),
  "config/crd/mocks/README.md": mockIndex(),
  "config/rbac/advisor_role.yaml": advisorRole(profiles),
  "config/rbac/platform_role.yaml": platformRole(assets),
  "docs/assets.md": assetTable(),
  "docs/decisions/README.md": decisionIndex(),
  "docs/profiles.md": await profileTable(profiles),
};

const stale = Object.entries(generated)
  .map(([file, wanted]) => ({ file, wanted }))
  .filter(({ file, wanted }) => textOf(file) !== wanted);

for (const { file, wanted } of stale) {
  if (process.argv.includes("--check")) process.stdout.write(`${file} is not current: run make generate\n`);
  else {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, wanted);
  }
}
if (process.argv.includes("--check") && stale.length > 0) process.exitCode = 1;

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined; // not written yet
  }
}
