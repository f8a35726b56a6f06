// The NodeHealthCheck of the platform controller, before, during and after a plan of vm-high-availability.

import type { JsonMap, KubeObject, Status } from "@virt/api";
import { appliedBy, pathsOf, readOwners } from "@virt/objects";
import { expect, test } from "vitest";
import { writesOf } from "../support/advisor.ts";
import { shareBothOperators } from "../support/both-operators.ts";
import { itemOf } from "../support/config-client.ts";
import { createSelfTemplate, remediationCrds, remediationPaths } from "../support/remediation.ts";

const profile = "vm-high-availability";
const both = shareBothOperators(undefined, { crds: remediationCrds });
const live = () => both.read(remediationPaths.check);
const managersOf = (object: KubeObject) =>
  readOwners(object)
    .filter(({ subresource }) => subresource === undefined)
    .map(({ manager }) => manager)
    .toSorted();
const ours = "virt-advisor-operator-vm-high-availability";
const ready = (duration: string) => ["False", "Unknown"].map((status) => ({ type: "Ready", status, duration }));
const theirs = "virt-platform-operator";

test("D: takes over the platform controller's check, and keeps it when disabled", async () => {
  await createSelfTemplate(both.server);
  await both.annotate({ autopilot: "node-health-check" });
  await both.until(async () => expect(await both.statusOf(remediationPaths.check)).toBe(200));
  const applied = await live();
  await both.configs.edit(profile, { action: "DryRun", options: { vmHighAvailability: { unhealthySeconds: 120 } } });
  const drafted = await both.configs.until(profile, "ReviewRequired");
  const item = itemOf(drafted, "configure-node-health-check");
  expect(item.warnings).toContain(
    "NodeHealthCheck 'virt-node-health-check' is managed by virt-platform-operator, which releases it when this plan is approved",
  );
  await both.configs.approve(profile);
  expect(managersOf(await live())).toEqual([ours, theirs]);

  const writes = writesOf(both.server).length;
  await both.configs.edit(profile, { options: { vmHighAvailability: { enabled: false } } });
  const isReleased = ({ phase, items = [] }: Status) =>
    phase === "Completed" && items[0]?.name.startsWith("release") === true;
  const released = await both.configs.until(profile, isReleased);
  expect(released.items?.map(({ name, operation }) => [name, operation])).toEqual([
    ["release-eviction-strategy", "Apply"],
    ["release-node-health-check", "Apply"],
  ]);
  expect(writesOf(both.server).slice(writes)).toEqual(["patch nodehealthchecks/virt-node-health-check"]);
  const kept = await live();
  expect(kept.metadata.uid).toBe(applied.metadata.uid);
  expect(kept["spec"]).toMatchObject({ ...(applied["spec"] as JsonMap), unhealthyConditions: ready("120s") });
  const rest = pathsOf(appliedBy(readOwners(kept), ours)).map((path) => path.slice(0, 2).join("."));
  expect(new Set(rest)).toEqual(new Set(["f:spec.f:unhealthyConditions"]));
});
