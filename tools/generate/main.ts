// `make generate`: writes the generated files. With --check, lists those that are out of date.

import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { assets, profiles, tombstones } from "@virt/catalog";
import { expectedPolicies, policyManifests, policyRights } from "./admission/shipped-policies.ts";
import { advisorRule } from "./advisor-rule.ts";
import { assetTable } from "./asset-table.ts";
import { bundledSchemasModule } from "./bundled-schemas.ts";
import { codeOwners } from "./codeowners.ts";
import { configDefinition } from "./crd/definition.ts";
import { consoleDashboard, dashboardJson } from "./dashboard.ts";
import { decisionIndex } from "./decision-index.ts";
import { isGenerated } from "./generated-mark.ts";
import { metricsPage } from "./metrics-page.ts";
import { mockCrds, mockIndex, stubFiles } from "./mock-crds.ts";
import { advisor, platform } from "./operators.ts";
import { planMachineConfigsModule } from "./plan-machine-configs.ts";
import { profileTable } from "./profile-table.ts";
import { advisorRights, exampleRights } from "./rbac/advisor-rights.ts";
import { optionalRoleManifest, roleManifest } from "./rbac/operator-rights.ts";
import { platformRights } from "./rbac/platform-rights.ts";
import { runbookIndex } from "./runbook-index.ts";
import { samples } from "./samples.ts";
import { settingsPage } from "./settings-page.ts";
import { stuckRolloutsPage } from "./stuck-rollouts-page.ts";

const catalog = { assets, profiles, tombstones };
const mocks = mockCrds(catalog);
const [examples = [], others = []] = [true, false].map((is) =>
  profiles.filter(({ isExample = false }) => isExample === is),
);

const generated: Readonly<Record<string, string>> = {
  "catalog/expected-policies.ts": expectedPolicies(catalog),
  ".github/CODEOWNERS": codeOwners(catalog),
  "packages/views/src/plan-machine-configs.ts": planMachineConfigsModule(profiles),
  "packages/reads/src/preview/bundled-schemas.ts": bundledSchemasModule(assets, mocks),
  ...policyManifests(catalog),
  "config/crd/bases/advisor.kubevirt.io_virtplatformconfigs.yaml": await configDefinition(profiles),
  "config/crd/mocks/README.md": mockIndex(mocks),
  ...stubFiles(mocks),
  ...samples(profiles),
  "config/dashboards/console_dashboard.yaml": consoleDashboard(),
  "config/dashboards/virt-operators.json": dashboardJson(),
  "config/prometheus/advisor/rule.yaml": advisorRule(),
  "config/rbac/advisor/role.yaml": roleManifest(advisor, advisorRights(others), policyRights(catalog, "advisor")),
  "config/rbac/example-profile/role.yaml": optionalRoleManifest(
    `${advisor.name}-example-profile-role`,
    exampleRights(examples),
  ),
  "config/rbac/platform/role.yaml": roleManifest(platform, platformRights(catalog), policyRights(catalog, "platform")),
  "docs/assets.md": assetTable(),
  "docs/decisions/README.md": decisionIndex(),
  "docs/metrics.md": metricsPage(),
  "docs/profiles.md": await profileTable(profiles),
  "docs/runbooks/README.md": runbookIndex(),
  "docs/settings.md": settingsPage(),
  "docs/stuck-rollouts.md": stuckRolloutsPage(),
};

const stale = Object.entries(generated)
  .map(([file, wanted]) => ({ file, wanted }))
  .filter(({ file, wanted }) => textOf(file) !== wanted);

const { values } = parseArgs({ options: { check: { type: "boolean" } } });
for (const { file, wanted } of stale) {
  if (values.check === true) process.stdout.write(`${file} is not current: run make generate\n`);
  else {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, wanted);
  }
}

// Generated files of profiles and kinds that are no longer in the catalog.
const abandoned = globSync(["config/crd/mocks/*.yaml", "config/samples/*.yaml"]).filter(
  (file) => generated[file] === undefined && isGenerated(textOf(file) ?? ""),
);
for (const file of abandoned) {
  if (values.check === true) process.stdout.write(`${file} has no source: run make generate, which deletes it\n`);
  else rmSync(file);
}
if (values.check === true && stale.length + abandoned.length > 0) process.exitCode = 1;

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
