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
  { reason: "it is configured where it is off", facts: { workerKernel: [["psi=0"]] }, message: planned },
  {
    reason: "it is left alone where others switched it on",
    facts: { workerKernel: [["a", "psi=1"]] },
    message: effective,
    isSkipped: true,
  },
  { reason: "the last argument counts", facts: { workerKernel: [["psi=1", "psi=0"]] }, message: planned },
  { reason: "only psi=1 is on", facts: { workerKernel: [["psi=1=1"]] }, message: planned },
  {
    reason: "it must be on in what the pool aims at too",
    facts: { workerKernel: [["psi=1"], ["a"]] },
    message: planned,
  },
  { reason: "and in what it runs", facts: { workerKernel: [["a"], ["psi=1"]] }, message: planned },
  {
    reason: "both may have it",
    facts: { workerKernel: [["psi=1"], ["psi=1", "a"]] },
    message: effective,
    isSkipped: true,
  },
  { reason: "what cannot be read does not have it", facts: { workerKernel: [undefined] }, message: planned },
  { reason: "nor if only one can be read", facts: { workerKernel: [["psi=1"], undefined] }, message: planned },
  { reason: "without a pool nobody has it", facts: { workerKernel: [] }, message: planned },
  {
    reason: "ours that is in place and effective is still ours",
    facts: { workerKernel: [["psi=1"]], psiConfig: inSync },
    message: effective,
  },
  {
    reason: "ours that is in place and not yet rolled out is not effective",
    facts: { workerKernel: [["a"], ["psi=1"]], psiConfig: inSync },
    message: planned,
  },
  {
    reason: "ours that was changed is put right, effective or not",
    facts: { workerKernel: [["psi=1"]], psiConfig: ours({ kernelArguments: ["psi=1", "a"] }) },
    message: planned,
  },
  {
    reason: "a lost label is a change too",
    facts: { workerKernel: [["psi=1"]], psiConfig: { ...inSync, metadata: { name: "99-worker-psi-karg" } } },
    message: planned,
  },
];

test.each(cases)("$reason", ({ facts, message, isSkipped }) => {
  const [item] = enablePsi(factsWith(facts));
  expect(item?.message).toBe(message);
  expect(item && "isSkipped" in item ? item.isSkipped : undefined).toBe(isSkipped);
});

test("each role that runs VMs gets its own object, with the same content and the role in its names", () => {
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

test("PSI that is effective in one pool says nothing about the other", () => {
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

test("it is switched off for every role, wherever VMs may run now", () => {
  expect(disablePsi().map(({ name, target }) => [name, target.name])).toEqual([
    ["disable-psi-metrics", "99-worker-psi-karg"],
    ["disable-psi-metrics-master", "99-master-psi-karg"],
  ]);
});
