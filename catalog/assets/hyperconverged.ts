// The HyperConverged as a target that several assets share, each with a part of it.

import type { JsonMap, KubeObject } from "@virt/api";
import type { HcoFact } from "@virt/platform";
import { hyperConverged } from "../profiles/hyperconverged.ts";

const { group, kind, plural, name } = hyperConverged;

/** What every part of it declares. It is never created: whoever installs OpenShift Virtualization does that. */
export const hcoPart = {
  order: 0,
  target: { apiVersion: `${group}/v1`, kind, name, namespace: "$hco", crd: `${plural}.${group}` },
  needs: [],
  dependency: "platform",
  adoption: "fieldwise",
  create: false,
  impact: "pods",
} as const;

type Specs = { readonly v1beta1: JsonMap; readonly v1: JsonMap };

/** The part in the version that is served. */
export function renderHco({ apiVersion, namespace }: HcoFact, { v1beta1, v1 }: Specs): KubeObject {
  const spec = apiVersion === `${group}/v1beta1` ? v1beta1 : v1;
  return { apiVersion, kind, metadata: { name, namespace }, spec };
}
