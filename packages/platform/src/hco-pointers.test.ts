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
    reason: "what is below goes with it",
    served: "v1",
    pointer: "/spec/liveMigrationConfig/a~1b/0",
    becomes: ["/spec/virtualization/liveMigrationConfig/a~1b/0"],
  },
  {
    reason: "the seed's own example",
    served: "v1",
    pointer: "/spec/liveMigrationConfig/parallelMigrationsPerCluster",
    becomes: ["/spec/virtualization/liveMigrationConfig/parallelMigrationsPerCluster"],
  },
  {
    reason: "a strategy goes to deployment",
    served: "v1",
    pointer: "/spec/uninstallStrategy",
    becomes: ["/spec/deployment/uninstallStrategy"],
  },
  {
    reason: "certificates go to security",
    served: "v1",
    pointer: "/spec/certConfig/ca",
    becomes: ["/spec/security/certConfig/ca"],
  },
  {
    reason: "and come back",
    served: "v1beta1",
    pointer: "/spec/security/certConfig/ca",
    becomes: ["/spec/certConfig/ca"],
  },
  {
    reason: "quota has another name",
    served: "v1",
    pointer: "/spec/enableApplicationAwareQuota",
    becomes: ["/spec/deployment/applicationAwareConfig/enable"],
  },
  {
    reason: "and its old one",
    served: "v1beta1",
    pointer: "/spec/deployment/applicationAwareConfig/enable",
    becomes: ["/spec/enableApplicationAwareQuota"],
  },
  {
    reason: "its options are apart from it",
    served: "v1beta1",
    pointer: "/spec/deployment/applicationAwareConfig/vmiCalcConfigName",
    becomes: ["/spec/applicationAwareConfig/vmiCalcConfigName"],
  },
  {
    reason: "a parent becomes all below it",
    served: "v1beta1",
    pointer: "/spec/deployment/applicationAwareConfig",
    becomes: ["/spec/enableApplicationAwareQuota", "/spec/applicationAwareConfig"],
  },
  {
    reason: "a group becomes all of its fields",
    served: "v1beta1",
    pointer: "/spec/virtualization",
    becomes: fields.map((field) => `/spec/${field}`),
  },
  {
    reason: "what is native stays",
    served: "v1",
    pointer: "/spec/virtualization/liveMigrationConfig",
    becomes: ["/spec/virtualization/liveMigrationConfig"],
  },
  {
    reason: "what is native stays in v1beta1",
    served: "v1beta1",
    pointer: "/spec/liveMigrationConfig",
    becomes: ["/spec/liveMigrationConfig"],
  },
  { reason: "what nobody knows stays", served: "v1", pointer: "/spec/other/x", becomes: ["/spec/other/x"] },
  { reason: "the whole spec stays", served: "v1beta1", pointer: "/spec", becomes: ["/spec"] },
  {
    reason: "labels stay",
    served: "v1",
    pointer: "/metadata/labels/certConfig",
    becomes: ["/metadata/labels/certConfig"],
  },
  {
    reason: "one gate of the map means the whole list",
    served: "v1",
    pointer: "/spec/featureGates/alignCPUs",
    becomes: ["/spec/featureGates"],
  },
  {
    reason: "one gate of the list means the whole map",
    served: "v1beta1",
    pointer: "/spec/featureGates/0/state",
    becomes: ["/spec/featureGates"],
  },
  {
    reason: "so does one by its name",
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
