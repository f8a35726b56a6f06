import { readPointer, writePointer } from "@virt/objects";
import { expect, test } from "vitest";
import { hcoPointers } from "./hco-fact.ts";

type Case = { reason: string; served: "v1" | "v1beta1"; pointer: string; becomes: readonly string[] };

const fields = [
  "liveMigrationConfig",
  "ksmConfiguration",
  "permittedHostDevices",
  "workloadUpdateStrategy",
  "evictionStrategy",
  "higherWorkloadDensity",
];

const cases: readonly Case[] = [
  ...fields.flatMap((field): readonly Case[] => [
    { reason: `${field} in v1`, served: "v1", pointer: `/spec/${field}`, becomes: [`/spec/virtualization/${field}`] },
    {
      reason: `${field} in v1beta1`,
      served: "v1beta1",
      pointer: `/spec/virtualization/${field}/x`,
      becomes: [`/spec/${field}/x`],
    },
  ]),
  {
    reason: "moves fields below",
    served: "v1",
    pointer: "/spec/liveMigrationConfig/a~1b/0",
    becomes: ["/spec/virtualization/liveMigrationConfig/a~1b/0"],
  },
  {
    reason: "the example of the seeds",
    served: "v1",
    pointer: "/spec/liveMigrationConfig/parallelMigrationsPerCluster",
    becomes: ["/spec/virtualization/liveMigrationConfig/parallelMigrationsPerCluster"],
  },
  {
    reason: "the strategy moves to deployment",
    served: "v1",
    pointer: "/spec/uninstallStrategy",
    becomes: ["/spec/deployment/uninstallStrategy"],
  },
  {
    reason: "certificates move to security",
    served: "v1",
    pointer: "/spec/certConfig/ca",
    becomes: ["/spec/security/certConfig/ca"],
  },
  {
    reason: "certificates move back",
    served: "v1beta1",
    pointer: "/spec/security/certConfig/ca",
    becomes: ["/spec/certConfig/ca"],
  },
  {
    reason: "quota is renamed",
    served: "v1",
    pointer: "/spec/enableApplicationAwareQuota",
    becomes: ["/spec/deployment/applicationAwareConfig/enable"],
  },
  {
    reason: "quota gets its old name",
    served: "v1beta1",
    pointer: "/spec/deployment/applicationAwareConfig/enable",
    becomes: ["/spec/enableApplicationAwareQuota"],
  },
  {
    reason: "quota options move separately",
    served: "v1beta1",
    pointer: "/spec/deployment/applicationAwareConfig/vmiCalcConfigName",
    becomes: ["/spec/applicationAwareConfig/vmiCalcConfigName"],
  },
  {
    reason: "a parent becomes all its fields",
    served: "v1beta1",
    pointer: "/spec/deployment/applicationAwareConfig",
    becomes: ["/spec/enableApplicationAwareQuota", "/spec/applicationAwareConfig"],
  },
  {
    reason: "a group becomes all its fields",
    served: "v1beta1",
    pointer: "/spec/virtualization",
    becomes: fields.map((field) => `/spec/${field}`),
  },
  {
    reason: "a native field stays",
    served: "v1",
    pointer: "/spec/virtualization/liveMigrationConfig",
    becomes: ["/spec/virtualization/liveMigrationConfig"],
  },
  {
    reason: "a native field stays in v1beta1",
    served: "v1beta1",
    pointer: "/spec/liveMigrationConfig",
    becomes: ["/spec/liveMigrationConfig"],
  },
  { reason: "an unknown field stays", served: "v1", pointer: "/spec/other/x", becomes: ["/spec/other/x"] },
  { reason: "the whole spec stays", served: "v1beta1", pointer: "/spec", becomes: ["/spec"] },
  {
    reason: "labels stay",
    served: "v1",
    pointer: "/metadata/labels/certConfig",
    becomes: ["/metadata/labels/certConfig"],
  },
  {
    reason: "one gate of the map becomes the whole list",
    served: "v1",
    pointer: "/spec/featureGates/alignCPUs",
    becomes: ["/spec/featureGates"],
  },
  {
    reason: "one gate of the list becomes the whole map",
    served: "v1beta1",
    pointer: "/spec/featureGates/0/state",
    becomes: ["/spec/featureGates"],
  },
  {
    reason: "one gate by name becomes the whole map",
    served: "v1beta1",
    pointer: "/spec/featureGates/name=alignCPUs",
    becomes: ["/spec/featureGates"],
  },
  {
    reason: "one gate of the map stays one",
    served: "v1beta1",
    pointer: "/spec/featureGates/alignCPUs",
    becomes: ["/spec/featureGates/alignCPUs"],
  },
];

test.each(cases)("$reason", ({ served, pointer, becomes }) => {
  const read = readPointer(pointer);
  const pointers = read.kind === "pointer" ? [read.pointer] : [];
  expect(hcoPointers(pointers, `hco.kubevirt.io/${served}`).map(writePointer)).toEqual(becomes);
});
