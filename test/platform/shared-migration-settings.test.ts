// The platform controller leaves a migration setting to an approved plan, field by field.

import { asList, asText, at, member } from "@virt/objects";
import { expect, test } from "vitest";
import { paths } from "../support/advisor.ts";
import { shareBothOperators } from "../support/both-operators.ts";

const profile = "live-migration";
const [limit, postCopy] = ["parallelMigrationsPerCluster", "allowPostCopy"];
const [platform, ofPlan] = ["virt-platform-operator", "virt-advisor-operator-live-migration"];
const both = shareBothOperators();

/** The value of a migration setting, and the managers that applied it. */
async function setting(field: string) {
  const hco = await both.read(paths.hco);
  const appliers = asList(hco.metadata["managedFields"]).filter((entry) => {
    const fields = at(member(entry, "fieldsV1") ?? null, "f:spec", "f:liveMigrationConfig");
    return member(entry, "operation") === "Apply" && member(fields, `f:${field}`) !== undefined;
  });
  return {
    value: at(hco, "spec", "liveMigrationConfig", field),
    managers: appliers.flatMap((entry) => asText(member(entry, "manager")) ?? []),
  };
}

test("the controller yields only the fields of the plan, and the default returns after the profile is off", async () => {
  const { configs } = both;
  await configs.until(profile, "Ignored");
  await both.annotate({ autopilot: "hco-golden-config" });
  await expect.poll(() => setting(limit)).toEqual({ value: 5, managers: [platform] });

  await configs.edit(profile, { action: "Apply", options: { liveMigration: { perCluster: 9 } } });
  await configs.until(profile, "Completed");
  await expect.poll(() => setting(limit)).toEqual({ value: 9, managers: [ofPlan] });
  expect(await setting(postCopy)).toEqual({ value: false, managers: [platform] });

  await configs.edit(profile, { options: { liveMigration: { enabled: false } } });
  await expect.poll(() => setting(limit)).toEqual({ value: 5, managers: [] });
  expect(await setting(postCopy)).toEqual({ value: false, managers: [platform] });
});
