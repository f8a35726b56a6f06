// The platform controller's permissions: the declarations of the assets and a few of its own.

import { configKind } from "@virt/api";
import { type Asset, consentRecordName, governanceRecordName, type Tombstone } from "@virt/platform";
import { platform } from "../operators.ts";
import { resourceOf, rightsForTarget, rightsToRead } from "./asset-rights.ts";
import { impactRights } from "./impact-rights.ts";
import { alwaysGranted, type OperatorRights, ownLease } from "./operator-rights.ts";
import { follow, type Right, rights } from "./right.ts";

const config = "config.openshift.io";
const { namespace } = platform;
const hco = { group: "hco.kubevirt.io", resource: "hyperconvergeds", name: "kubevirt-hyperconverged" };
const governance = { group: "", resource: "configmaps", name: governanceRecordName, namespace };
const consent = { group: "", resource: "configmaps", name: consentRecordName, namespace };
const report = { group: "", resource: "configmaps", name: `${platform.name}-report`, namespace };

const always: readonly Right[] = [
  ...alwaysGranted,
  ...rights({ group: configKind.group, resource: configKind.plural }, ...follow),
  ...rights(hco, "get"), // read directly, without the cache, when a plan releases an object
  ...impactRights,
  ...["mutatingwebhookconfigurations", "mutatingadmissionpolicies", "mutatingadmissionpolicybindings"].flatMap(
    (resource) => rights({ group: "admissionregistration.k8s.io", resource }, ...follow),
  ),
  ...rights({ group: config, resource: "infrastructures", name: "cluster" }, ...follow),
  ...rights({ group: config, resource: "schedulers", name: "cluster" }, ...follow),
  ...rights({ group: config, resource: "networks", name: "cluster" }, ...follow),
];

export type Shipped = { readonly assets: readonly Asset[]; readonly tombstones: readonly Tombstone[] };

export function platformRights({ assets, tombstones }: Shipped): OperatorRights {
  const forAssets = [
    ...assets.flatMap(rightsForTarget),
    ...assets.flatMap(rightsToRead),
    ...tombstones.flatMap((tombstone) => rights(resourceOf(tombstone), "get", "delete")),
  ];
  const isOwn = (right: Right) => right.namespace === namespace;
  return {
    cluster: [...always, ...forAssets.filter((right) => !isOwn(right))],
    ownNamespace: [
      ...ownLease(platform),
      // `get` is for commands in the pod, such as --activation.
      ...rights(report, "get", "create", "patch"),
      ...rights(governance, ...follow, "create", "patch"),
      ...rights(consent, ...follow, "create", "patch"),
      ...forAssets.filter(isOwn),
    ],
  };
}
