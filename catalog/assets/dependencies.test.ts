import { type Activation, type AssetHcoFact, type ClusterFacts, dependencies } from "@virt/platform";
import { expect, test } from "vitest";
import { assets } from "../index.ts";

type ClusterOptions = {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly activation?: Partial<Activation>;
  readonly controlPlaneTopology?: string;
  readonly unread?: ClusterFacts["unread"];
};

function clusterWith({
  annotations = {},
  activation,
  controlPlaneTopology = "",
  unread,
}: ClusterOptions): ClusterFacts {
  const hco = { apiVersion: "hco.kubevirt.io/v1beta1", namespace: "openshift-cnv", annotations, featureGates: {} };
  return {
    hco: hco as unknown as AssetHcoFact,
    activation: { isActive: true, listed: undefined, unknown: [], ...activation } as Activation,
    topology: { isOpenShift: true, isHCP: false, controlPlaneTopology } as ClusterFacts["topology"],
    crds: new Set(["hyperconvergeds.hco.kubevirt.io"]),
    unread,
  } as unknown as ClusterFacts;
}

const labels = (options: ClusterOptions) =>
  dependencies(clusterWith(options), assets).map(
    ({ group, version, kind, isMissing }) => `${group}/${version} ${kind} ${isMissing ? "missing" : "there"}`,
  );
const loadaware = { "platform.kubevirt.io/enable-loadaware": "true" };
const everything = { controlPlaneTopology: "HighlyAvailable" };

const cases: readonly { reason: string; options: ClusterOptions; found: readonly string[] }[] = [
  { reason: "reports no dependency of a disabled asset", options: {}, found: [] },
  {
    reason: "names a kind once, even if several assets wait for it",
    options: { annotations: loadaware },
    found: [
      "machineconfiguration.openshift.io/v1 MachineConfig missing",
      "operator.openshift.io/v1 KubeDescheduler missing",
    ],
  },
  {
    reason: "names a missing kind even if no asset applies it",
    options: { annotations: { "platform.kubevirt.io/enable-node-health-check": "true" } },
    found: [
      "remediation.medik8s.io/v1alpha1 NodeHealthCheck missing",
      "self-node-remediation.medik8s.io/v1alpha1 SelfNodeRemediation missing",
    ],
  },
  {
    reason: "an idle operator waits for nothing",
    options: { ...everything, activation: { isActive: false } },
    found: [],
  },
  {
    reason: "reports nothing until everything is read",
    options: { ...everything, unread: { name: "crds", why: "not complete" } },
    found: [],
  },
];
test.each(cases)("$reason", ({ options, found }) => {
  expect(labels(options).toSorted()).toEqual(found);
});

test("the HyperConverged has the served version, every dependency name and version", () => {
  const all = labels(everything);
  expect(all).toContain("hco.kubevirt.io/v1beta1 HyperConverged there");
  for (const one of all) expect(one).toMatch(/^[a-z0-9.-]+\/v\d+((alpha|beta)\d+)? [A-Z]\w+ (missing|there)$/);
});
