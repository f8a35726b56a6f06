import { assets } from "@virt/catalog";
import type { Activation, HcoFact, World } from "@virt/platform";
import { expect, test } from "vitest";
import { dependencies } from "./hco-news.ts";

type Wishes = {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly activation?: Partial<Activation>;
  readonly controlPlaneTopology?: string;
  readonly unread?: string;
};

/** A cluster with no CRD but that of the HyperConverged. */
function worldOf({ annotations = {}, activation, controlPlaneTopology = "", unread }: Wishes): World {
  const hco = { apiVersion: "hco.kubevirt.io/v1beta1", namespace: "openshift-cnv", annotations, featureGates: {} };
  return {
    hco: hco as unknown as HcoFact,
    activation: { isActive: true, listed: undefined, unknown: [], ...activation } as Activation,
    topology: { isOpenShift: true, isHCP: false, controlPlaneTopology } as World["topology"],
    crds: new Set(["hyperconvergeds.hco.kubevirt.io"]),
    unread,
  } as unknown as World;
}

const labels = (wishes: Wishes) =>
  dependencies(worldOf(wishes), assets).map(
    ({ group, version, kind, isMissing }) => `${group}/${version} ${kind} ${isMissing ? "missing" : "there"}`,
  );
const loadaware = { "platform.kubevirt.io/enable-loadaware": "true" };
const everything = { controlPlaneTopology: "HighlyAvailable" };

const cases: readonly { reason: string; wishes: Wishes; found: readonly string[] }[] = [
  { reason: "of what nobody asked for nothing is said", wishes: {}, found: [] },
  {
    reason: "a kind that several assets of a group wait for is named once, as people know it",
    wishes: { annotations: loadaware },
    found: [
      "machineconfiguration.openshift.io/v1 MachineConfig missing",
      "operator.openshift.io/v1 KubeDescheduler missing",
    ],
  },
  {
    reason: "so is one that no asset applies",
    wishes: { annotations: { "platform.kubevirt.io/enable-node-health-check": "true" } },
    found: [
      "remediation.medik8s.io/v1alpha1 NodeHealthCheck missing",
      "self-node-remediation.medik8s.io/v1alpha1 SelfNodeRemediation missing",
    ],
  },
  {
    reason: "an idle operator waits for nothing",
    wishes: { ...everything, activation: { isActive: false } },
    found: [],
  },
  { reason: "before all is read nobody knows", wishes: { ...everything, unread: "crds: not complete" }, found: [] },
];
test.each(cases)("$reason", ({ wishes, found }) => {
  expect(labels(wishes).toSorted()).toEqual(found);
});

test("the HyperConverged has the version that is served, and everything a name and a version", () => {
  const all = labels(everything);
  expect(all).toContain("hco.kubevirt.io/v1beta1 HyperConverged there");
  for (const one of all) expect(one).toMatch(/^[a-z0-9.-]+\/v\d+((alpha|beta)\d+)? [A-Z]\w+ (missing|there)$/);
});
