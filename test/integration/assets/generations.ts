// The CRD generations for assets: our mocks, and each release's genuine CRDs if they are available.

import { assets } from "@virt/catalog";
import type { Asset } from "@virt/platform";
import { type Definition, isGenuineThere, readGenuine, readMock } from "../mock-crds/definitions.ts";

/** CRDs of one origin, tested on one server. */
export type Family = {
  readonly title: string;
  /** CRDs that are the same in all generations. */
  readonly steady: readonly Definition[];
  readonly generations: readonly Generation[];
};

/** CRDs that differ between releases, installed in sequence. */
export type Generation = { readonly title: string; readonly changing: readonly Definition[] };

const changingKinds = ["hyperconvergeds", "kubedeschedulers"];

const pluralOf = ({ crd }: Asset["target"]) => crd?.slice(0, crd.indexOf("."));

const mocks: Family = {
  title: "our mock CRDs",
  steady: [...new Set(assets.map(({ target }) => pluralOf(target)))]
    .filter((plural) => plural !== undefined && !changingKinds.includes(plural))
    .map((plural) => readMock(`${plural}.yaml`)),
  generations: (
    [
      ["v1beta1", "v510"],
      ["v1beta1", "v514"],
      ["v1", "v521"],
      ["v1", "v532"],
    ] as const
  ).map(([hco, descheduler]) => ({
    title: `a HyperConverged ${hco} and a descheduler of ${descheduler}`,
    changing: [readMock(`hyperconvergeds-${hco}.yaml`), readMock(`kubedeschedulers-${descheduler}.yaml`)],
  })),
};

const releases = [
  ["1.15", "v1beta1", "4.17"],
  ["1.17", "v1beta1", "4.18"],
  ["1.20", "v1beta1", "4.19"],
  ["1.20", "v1", "4.20"],
  ["1.20", "v1", "4.21"],
  ["1.20", "v1", "4.22"],
  ["1.20", "v1", "4.23"],
] as const;

const published = (): readonly Definition[] => [
  readGenuine("openshift/machineconfigs.yaml", "v1"),
  readGenuine("openshift/kubeletconfigs.yaml", "v1"),
  readGenuine("operators/nodehealthchecks.remediation.medik8s.io.yaml", "v1alpha1"),
  readGenuine("operators/forklift.konveyor.io_forkliftcontrollers.yaml", "v1beta1"),
  readGenuine("operators/metallb.io_metallbs.yaml", "v1beta1"),
  readGenuine("operators/observability.openshift.io_uiplugins.yaml", "v1alpha1"),
  readGenuine("operators/monitoring.coreos.com_servicemonitors.yaml", "v1"),
  readGenuine("operators/monitoring.coreos.com_prometheusrules.yaml", "v1"),
  readGenuine("operators/ifo.kubevirt.io_operationrulesets.yaml", "v1alpha1"),
  readGenuine("operators/perses.dev_persesdashboards.yaml", "v1alpha2"),
  readGenuine("kubevirt/migrationpolicies-main.yaml", "v1alpha1"),
];

const genuine = (): Family => ({
  title: "the genuine CRDs",
  steady: [...published(), ...mocks.steady.filter((mock) => !published().some(({ plural }) => plural === mock.plural))],
  generations: releases.map(([hco, version, descheduler]) => ({
    title: `HyperConverged ${hco} (${version}) and a descheduler of ${descheduler}`,
    changing: [
      stored(readGenuine(`hco/hyperconvergeds-${hco}.yaml`, version)),
      readGenuine(`descheduler/kubedeschedulers-ocp${descheduler}.yaml`, "v1"),
    ],
  })),
});

// A single version must be the storage version.
function stored(definition: Definition): Definition {
  const { crd } = definition;
  const versions = crd.spec.versions.map((version) => ({ ...version, storage: true }));
  return { ...definition, crd: { ...crd, spec: { ...crd.spec, versions } } };
}

export const families: readonly Family[] = [mocks, ...(isGenuineThere ? [genuine()] : [])];
