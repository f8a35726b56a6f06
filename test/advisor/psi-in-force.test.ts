import { expect, test } from "vitest";
import { loadAware, paths, readAt, removeAt, untilPoolRests, writesOf } from "../support/advisor.ts";
import { createMachineConfig } from "../support/advisor-objects.ts";
import { psiItem, useAdvisor } from "../support/advisor-suite.ts";
import { itemOf } from "../support/config-client.ts";

const inForce = "PSI metrics already effective in MachineConfigPool 'worker'";
const other = "98-other-psi";
const advisor = useAdvisor({ scenario: "no-vms", startsLater: true });

test("creates no MachineConfig if PSI is already effective, and reports its end as drift", async () => {
  const { configs, server } = advisor();
  await createMachineConfig(server, other, ["psi=0", "psi=1"]);
  await untilPoolRests(server, other, true);
  await advisor().start();

  const reviewed = await configs.draft(loadAware);
  expect(itemOf(reviewed, psiItem)).toMatchObject({
    message: inForce,
    impactSeverity: "Low",
    diff: "--- 99-worker-psi-karg (MachineConfig)\n+++ 99-worker-psi-karg (MachineConfig)\n(no changes)\n",
  });
  const completed = await configs.approve(loadAware);
  expect(itemOf(completed, psiItem)).toMatchObject({ state: "Completed", message: inForce });
  expect(writesOf(server)).toEqual(["patch kubedeschedulers/cluster"]);
  expect(await readAt(server, paths.psi)).toBeUndefined();

  await removeAt(server, paths.psi.replace(/[^/]+$/, other));
  const drifted = await configs.until(loadAware, "Drifted");
  expect(itemOf(drifted, psiItem).message).toContain("spec.kernelArguments");
  const applied = await configs.reapprove(loadAware);
  expect(itemOf(applied, psiItem).message).toBe("MachineConfigPool 'worker' is ready (all 3 nodes updated)");
});
