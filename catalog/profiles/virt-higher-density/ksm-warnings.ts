// Says what becomes of KSM where that is not what the plan shows: it reaches no node, or stays as others have it.

import { fieldManagers, type KubeObject } from "@virt/api";
import { fieldPath, matchesSelector, type Owner, ownersOf, readOwners } from "@virt/engine";
import { valuesPath } from "../hyperconverged.ts";
import type { DensityFacts } from "./facts.ts";
import { liveSelector } from "./live.ts";
import type { Wanted } from "./wanted.ts";

export function ksmWarnings({ ksm }: Wanted, { hco, nodes }: DensityFacts): readonly string[] {
  if (ksm === undefined) return hco.object === undefined ? [] : switchedOffWarning(hco.object);
  const isAimless = nodes !== undefined && !nodes.some((labels) => matchesSelector(ksm.selector, labels));
  return isAimless && ksm.isPinned ? ["nodeLabelSelector matches no node"] : [];
}

// A field that we no longer apply goes only if nobody else owns it.
function switchedOffWarning(hco: KubeObject): readonly string[] {
  if (liveSelector(hco) === undefined) return [];
  const owners = selectorOwners(hco);
  const others = [...new Set(owners.filter((owner) => !isOurs(owner)).map(({ manager }) => manager))];
  if (others.length === 0 && owners.length > 0) return ["KSM will be switched off"];
  return [`KSM stays enabled: ksmConfiguration is owned by ${others.join(", ") || "an unknown manager"}`];
}

// Each manager's fields are recorded in the version in which it wrote them.
function selectorOwners(hco: KubeObject): readonly Owner[] {
  const owners = readOwners(hco);
  const versions = ["hco.kubevirt.io/v1beta1", "hco.kubevirt.io/v1"];
  return versions.flatMap((version) =>
    ownersOf(owners, fieldPath(...valuesPath(version), "ksmConfiguration", "nodeLabelSelector")),
  );
}

function isOurs({ manager, operation, subresource }: Owner): boolean {
  return manager === fieldManagers.advisor && operation === "Apply" && subresource === undefined;
}
