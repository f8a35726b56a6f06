import { asList, asText, at, decodeUtf8, type Json, readDataUrl, writeDataUrl } from "@virt/objects";
import { expect, test } from "vitest";
import { edit, higherDensity, paths, readAt } from "../support/advisor.ts";
import { swapItem, useAdvisor } from "../support/advisor-suite.ts";
import { itemOf } from "../support/config-client.ts";

const advisor = useAdvisor({ scenario: "no-vms" });

const signed = (sign: string, diff = "") => diff.split("\n").filter((line) => line.startsWith(sign));

test("shows new files and units as text, and applies them unchanged", async () => {
  const { configs, server } = advisor();
  const { diff, desiredState } = itemOf(await configs.draft(higherDensity), swapItem);
  expect(diff).not.toContain("base64");
  expect(signed("+      ~", diff)).toEqual([
    "+      ~ file /etc/find-swap-partition (mode 0755), overwrite: true",
    "+      ~ file /etc/openshift/kubelet.conf.d/90-swap.conf (mode 0644), overwrite: true",
    "+      ~ unit swap-provision.service (enabled)",
    "+      ~ unit cgroup-system-slice-config.service (enabled)",
  ]);
  expect(diff).toContain("+        #!/usr/bin/env bash\n");
  expect(diff).toContain("+          swapBehavior: LimitedSwap\n");
  expect(diff).toContain("+        ExecStart=/usr/bin/bash /etc/find-swap-partition\n");
  await configs.approve(higherDensity);
  expect(at(await readAt(server, paths.swap), "spec")).toEqual(at(desiredState, "spec"));
});

test("the diff of a deletion shows the removed lines", async () => {
  const { configs } = advisor();
  await configs.edit(higherDensity, { action: "DryRun", options: { virtHigherDensity: { enableSwap: false } } });
  const reviewed = await configs.until(higherDensity, ({ phase, items = [] }) => {
    return phase === "ReviewRequired" && items.some(({ operation }) => operation === "Delete");
  });
  const { diff } = itemOf(reviewed, "disable-kubelet-swap");
  expect(diff).not.toContain("base64");
  expect(diff).toContain("-        #!/usr/bin/env bash\n");
  await configs.edit(higherDensity, { action: "DryRun", options: null });
  await configs.until(higherDensity, "Completed");
});

test("an item without changes reports that its object is already in place", async () => {
  const { configs } = advisor();
  await configs.edit(higherDensity, { options: { virtHigherDensity: { memoryToRequestRatio: 160 } } });
  const reviewed = await configs.until(higherDensity, "ReviewRequired");
  expect(itemOf(reviewed, swapItem)).toMatchObject({
    changes: false,
    message: "MachineConfig '90-worker-kubelet-swap' is already in place",
  });
  await configs.edit(higherDensity, { options: null });
  await configs.until(higherDensity, "Completed");
});

test("a drift's diff shows only the edited script line and its path", async () => {
  const { configs, server } = advisor();
  const files = asList(at(await readAt(server, paths.swap), "spec", "config", "storage", "files"));
  const changed = files.map((file) => (at(file, "path") === "/etc/find-swap-partition" ? withoutWaiting(file) : file));
  await edit(server, paths.swap, { spec: { config: { storage: { files: changed } } } });
  const { diff } = itemOf(await configs.until(higherDensity, "Drifted"), swapItem);
  expect(signed("@@", diff)).toEqual([
    "@@ -15,7 +15,7 @@ ~ file /etc/find-swap-partition (mode 0755), overwrite: true",
  ]);
  expect(signed("-", diff).slice(1)).toEqual(["-        true"]);
  expect(signed("+", diff).slice(1)).toEqual(["+        udevadm settle --timeout=30 || true"]);
});

function withoutWaiting(file: Json): Json {
  const script = decodeUtf8(readDataUrl(asText(at(file, "contents", "source")) ?? "") ?? new Uint8Array()) ?? "";
  const source = writeDataUrl(script.replace(/^udevadm settle.*$/m, "true"));
  return { ...(file as object), contents: { source } };
}
