import type { JsonMap, KubeObject } from "@virt/api";
import { expect, test } from "vitest";
import { machineConfigFor } from "../machine-config.ts";
import type { LoadAwareFacts } from "./facts.ts";
import { disablePsi, enablePsi, psiConfig } from "./psi.ts";
import { factsWith } from "./testing/facts.ts";

const ours = (spec: JsonMap): KubeObject => machineConfigFor({ ...psiConfig, spec }, "worker");
const inSync = ours({ kernelArguments: ["psi=1"] });

const planned = "MachineConfig '99-worker-psi-karg' will be configured to enable PSI metrics";
const effective = "PSI metrics already effective in MachineConfigPool 'worker'";

type Case = { reason: string; facts: Partial<LoadAwareFacts>; message: string; isSkipped?: true };

const cases: readonly Case[] = [
  { reason: "enables PSI if it is off", facts: { workerKernel: [["psi=0"]] }, message: planned },
  {
    reason: "skips PSI that another client enabled",
    facts: { workerKernel: [["a", "psi=1"]] },
    message: effective,
    isSkipped: true,
  },
  { reason: "the last argument counts", facts: { workerKernel: [["psi=1", "psi=0"]] }, message: planned },
  { reason: "only psi=1 enables PSI", facts: { workerKernel: [["psi=1=1"]] }, message: planned },
  { reason: "the target of the pool must also have it", facts: { workerKernel: [["psi=1"], ["a"]] }, message: planned },
  {
    reason: "the current configuration must also have it",
    facts: { workerKernel: [["a"], ["psi=1"]] },
    message: planned,
  },
  {
    reason: "both configurations have it",
    facts: { workerKernel: [["psi=1"], ["psi=1", "a"]] },
    message: effective,
    isSkipped: true,
  },
  { reason: "an unread configuration does not have it", facts: { workerKernel: [undefined] }, message: planned },
  {
    reason: "one unread configuration does not have it",
    facts: { workerKernel: [["psi=1"], undefined] },
    message: planned,
  },
  { reason: "without a pool, PSI is not effective", facts: { workerKernel: [] }, message: planned },
  {
    reason: "our object that is in sync and effective is not skipped",
    facts: { workerKernel: [["psi=1"]], psiConfig: inSync },
    message: effective,
  },
  {
    reason: "our object that is not rolled out yet is not effective",
    facts: { workerKernel: [["a"], ["psi=1"]], psiConfig: inSync },
    message: planned,
  },
  {
    reason: "corrects our changed object even if PSI is effective",
    facts: { workerKernel: [["psi=1"]], psiConfig: ours({ kernelArguments: ["psi=1", "a"] }) },
    message: planned,
  },
  {
    reason: "corrects a missing label",
    facts: { workerKernel: [["psi=1"]], psiConfig: { ...inSync, metadata: { name: "99-worker-psi-karg" } } },
    message: planned,
  },
];

test.each(cases)("$reason", ({ facts, message, isSkipped }) => {
  const [item] = enablePsi(factsWith(facts));
  expect(item?.message).toBe(message);
  expect(item && "isSkipped" in item ? item.isSkipped : undefined).toBe(isSkipped);
});

test("each role with VMs gets its own object and item", () => {
  const [worker, master] = enablePsi(factsWith({ vmNodes: { roles: ["worker", "master"], nodes: undefined } }));
  expect([worker?.name, worker?.target.name]).toEqual(["enable-psi-metrics", "99-worker-psi-karg"]);
  expect(master).toMatchObject({
    name: "enable-psi-metrics-master",
    message: "MachineConfig '99-master-psi-karg' will be configured to enable PSI metrics",
    target: { name: "99-master-psi-karg" },
    desired: {
      metadata: { name: "99-master-psi-karg", labels: { "machineconfiguration.openshift.io/role": "master" } },
      spec: { kernelArguments: ["psi=1"] },
    },
    impact: { create: "High", change: "High" },
  });
});

test("effective PSI in one pool does not affect the other", () => {
  const vmNodes = { roles: ["worker", "master"], nodes: undefined } as const;
  const items = enablePsi(factsWith({ vmNodes, workerKernel: [["a"]], masterKernel: [["psi=1"]] }));
  expect(items.map(({ message }) => message)).toEqual([
    planned,
    "PSI metrics already effective in MachineConfigPool 'master'",
  ]);
  const ourMaster = machineConfigFor(psiConfig, "master");
  const [item] = enablePsi(
    factsWith({
      vmNodes: { roles: ["master"], nodes: undefined },
      masterKernel: [["psi=1"]],
      masterPsiConfig: ourMaster,
    }),
  );
  expect(item).not.toHaveProperty("isSkipped");
});

test("disables PSI for every role", () => {
  expect(disablePsi().map(({ name, target }) => [name, target.name])).toEqual([
    ["disable-psi-metrics", "99-worker-psi-karg"],
    ["disable-psi-metrics-master", "99-master-psi-karg"],
  ]);
});
