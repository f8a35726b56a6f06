import type { KubeObject } from "@virt/api";
import type { CountedHardware, Hardware } from "@virt/cluster";
import { expect, test } from "vitest";
import { buildClusterFacts } from "./cluster-facts.ts";
import { lookupIn } from "./lookup.ts";

const labels = { "node-role.kubernetes.io/worker": "", "feature.node.kubernetes.io/memory-numa": "true" };
const node: KubeObject = {
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "a", labels },
  spec: { podCIDR: "10.0.0.0/24" },
};
const network: KubeObject = {
  apiVersion: "config.openshift.io/v1",
  kind: "Network",
  metadata: { name: "cluster" },
  status: { clusterNetwork: [{ cidr: "10.128.0.0/14", hostPrefix: 22 }] },
};
const countsAt = "2026-11-18T21:10:00Z";
const numa = { name: "numaNodesPresent", counted: false, seen: true, countsAt } as const;
const size = { name: "podSubnetPrefix", counted: 23, seen: 24, countsAt } as const;

const factsOf = (...objects: readonly KubeObject[]) =>
  buildClusterFacts(undefined, {
    lookup: lookupIn({ objects: [node, ...objects], crds: [] }),
    assets: [],
    activation: "always",
    images: {},
    purposesOf: () => [],
    released: {},
    ownNamespace: "own",
    exclusions: [],
    countHardware: (seen: Hardware): CountedHardware => ({
      hardware: { ...seen, numaNodesPresent: false, podSubnetPrefix: 23 },
      changes: [numa, size],
    }),
  });

test("assets follow the counted hardware", () => {
  const { hardware, hardwareChanges, fact } = factsOf();
  expect(hardware).toMatchObject({ numaNodesPresent: false, podSubnetPrefix: 23 });
  expect(fact({ read: "hardware" })).toEqual({ kind: "known", value: hardware });
  expect(hardwareChanges).toEqual([numa, size]);
});

test("the cluster's Network counts at once", () => {
  const { hardware, hardwareChanges } = factsOf(network);
  expect(hardware.podSubnetPrefix).toBe(22);
  expect(hardwareChanges).toEqual([numa]);
});
