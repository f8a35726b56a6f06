// `make generate` writes the generated files; with --check it only says which of them are not current.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { assets, profiles, tombstones } from "@virt/catalog";
import { approvalPolicy } from "./admission/approval-policy.ts";
import { onlyAdvertises, operatorPolicy } from "./admission/operator-policy.ts";
import { overridePolicy } from "./admission/override-policy.ts";
import { policyManifest } from "./admission/policy.ts";
import { switchPolicy } from "./admission/switch-policy.ts";
import { switchReach } from "./admission/switch-reach.ts";
import { advisorRule } from "./advisor-rule.ts";
import { assetTable } from "./asset-table.ts";
import { configDefinition } from "./crd/definition.ts";
import { consoleDashboard, dashboardJson } from "./dashboard.ts";
import { decisionIndex } from "./decision-index.ts";
import { metricsPage } from "./metrics-page.ts";
import { mockFacts } from "./mock-facts.ts";
import { mockIndex } from "./mock-index.ts";
import { advisor, platform } from "./operators.ts";
import { profileTable } from "./profile-table.ts";
import { advisorRights } from "./rbac/advisor-rights.ts";
import { roleManifest } from "./rbac/operator-rights.ts";
import { platformRights } from "./rbac/platform-rights.ts";
import { readme } from "./readme.ts";
import { runbookIndex } from "./runbook-index.ts";

/** Each generated file, and the text that it should hold. */
const generated: Readonly<Record<string, string>> = {
  "README.md": readme(),
  "apps/operator/src/commands/mock-crds.ts": mockFacts(assets),
  "config/admission/advisor/approvals.yaml": policyManifest(approvalPolicy()),
  "config/admission/advisor/writes.yaml": policyManifest(
    operatorPolicy(advisor, advisorRights(profiles), [onlyAdvertises]),
  ),
  "config/admission/platform/overrides.yaml": policyManifest(overridePolicy(assets)),
  "config/admission/platform/switches.yaml": policyManifest(switchPolicy(switchReach(assets))),
  "config/admission/platform/writes.yaml": policyManifest(
    operatorPolicy(platform, platformRights({ assets, tombstones })),
  ),
  "config/crd/bases/advisor.kubevirt.io_virtplatformconfigs.yaml": await configDefinition(profiles),
  "config/crd/mocks/README.md": mockIndex(),
  "config/dashboards/console_dashboard.yaml": consoleDashboard(),
  "config/dashboards/virt-operators.json": dashboardJson(),
  "config/prometheus/advisor/rule.yaml": advisorRule(),
  "config/rbac/advisor/role.yaml": roleManifest(advisor, advisorRights(profiles)),
  "config/rbac/platform/role.yaml": roleManifest(platform, platformRights({ assets, tombstones })),
  "docs/assets.md": assetTable(),
  "docs/decisions/README.md": decisionIndex(),
  "docs/metrics.md": metricsPage(),
  "docs/profiles.md": await profileTable(profiles),
  "docs/runbooks/README.md": runbookIndex(),
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
