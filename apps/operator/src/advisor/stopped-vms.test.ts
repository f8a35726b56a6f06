import type { KubeObject } from "@virt/api";
import type { ClusterReader, ReadResult } from "@virt/kube";
import { expect, test } from "vitest";
import { withoutRestarting } from "./stopped-vms.ts";

const vm = (spec: object): ReadResult => ({
  kind: "found",
  object: { apiVersion: "kubevirt.io/v1", kind: "VirtualMachine", metadata: { name: "x" }, spec } as KubeObject,
});
const answers: Readonly<Record<string, ReadResult>> = {
  halted: vm({ runStrategy: "Halted" }),
  manual: vm({ runStrategy: "Manual" }),
  always: vm({ runStrategy: "Always" }),
  running: vm({ running: true }),
  deleted: { kind: "absent" },
  refused: { kind: "unavailable", message: "503" },
};
const reader = { read: ({ name }) => Promise.resolve(answers[name] ?? { kind: "absent" }) } as ClusterReader;

test("omits deleted and restarting VMs, and keeps unreadable ones", async () => {
  const keys = Object.keys(answers).map((name) => `vms/${name}`);
  expect(await withoutRestarting(keys, reader)).toEqual(["vms/halted", "vms/manual", "vms/refused"]);
});
