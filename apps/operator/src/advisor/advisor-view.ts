// The cached view of configs, targets, pools and the HyperConverged.

import { type Profile, type ProfileHcoFact } from "@virt/advisor";
import type { KubeObject, Ref, VirtPlatformConfig } from "@virt/api";
import {
  configInformer,
  findHyperConverged,
  hyperConvergedElsewhere,
  nodesForVms,
  poolInformer,
  severalHyperConvergeds,
  usualHcoNamespaces,
  vmNodeInformer,
} from "@virt/cluster";
import { type Assessment, type DisruptionPolicies, disruptionPolicyInformer } from "@virt/impact";
import type { InformerSpec, InformerState } from "@virt/kube";
import { cachedPolicies } from "./disruption-policies.ts";
import {
  advisorHcoInformers,
  followsNodes,
  type InformerSources,
  impactInformersOf,
  informersOf,
  listInformer,
  type ObjectsRead,
  rolloutInformersOf,
  targetInformer,
} from "./informers.ts";

export type AdvisorView = {
  readonly configs: () => readonly VirtPlatformConfig[];
  readonly config: (name: string) => VirtPlatformConfig | undefined;
  readonly wanted: () => readonly InformerSpec[];
  /** Returns the informers that drafting or executing the plan requires. */
  readonly wantedBy: (config: VirtPlatformConfig) => readonly InformerSpec[];
  /** Undefined if the object is absent or its kind is not watched. */
  readonly target: (ref: Ref) => KubeObject | undefined;
  /** Sorted by namespace and name. Empty if the kind is not served or not watched. */
  readonly objects: (read: ObjectsRead) => readonly KubeObject[];
  readonly pools: () => readonly KubeObject[];
  /** Undefined if nodes are not watched for this config, or their list is incomplete. */
  readonly vmNodes: (config: VirtPlatformConfig) => readonly KubeObject[] | undefined;
  /** Returns the API server's error if it refuses to list nodes for this config, otherwise undefined. */
  readonly nodesRefusal: (config: VirtPlatformConfig) => string | undefined;
  /** Undefined if the policies are not watched, or not known yet. */
  readonly policies: () => Assessment<DisruptionPolicies> | undefined;
  readonly hco: (config: VirtPlatformConfig) => ProfileHcoFact;
  /** Returns the first informer whose list is still incomplete. Skips kinds that are not served, and refused nodes. */
  readonly starting: (specs: readonly InformerSpec[]) => InformerState | InformerSpec | undefined;
  readonly isConfigsListed: () => boolean;
};

export type AdvisorViewOptions = {
  readonly find: (spec: InformerSpec) => InformerState | undefined;
  readonly profiles: readonly Profile[];
  readonly hcoNamespace: string;
  readonly version: string;
};

export function createAdvisorView(parts: AdvisorViewOptions): AdvisorView {
  const { find, hcoNamespace } = parts;
  const wanting: InformerSources = parts;
  const all = (spec: InformerSpec): readonly KubeObject[] => [...(find(spec)?.store.items() ?? [])];
  const configs = () => all(configInformer).filter(isConfig);
  return {
    configs,
    config: (name) => configs().find(({ metadata }) => metadata.name === name),
    wanted: () => [
      configInformer,
      ...configs().flatMap((config) => [
        ...informersOf(config, wanting),
        ...impactInformersOf(config),
        ...rolloutInformersOf(config, wanting),
      ]),
    ],
    wantedBy: (config) => informersOf(config, wanting),
    target: (ref) => all(targetInformer(ref))[0],
    objects: (read) => all(listInformer(read)).toSorted(byPlace),
    pools: () => all(poolInformer),
    vmNodes: (config) =>
      followsNodes(config, wanting) && find(vmNodeInformer)?.state === "synced"
        ? nodesForVms(all(vmNodeInformer))
        : undefined,
    nodesRefusal: (config) => (followsNodes(config, wanting) ? refusalOfNodes(find(vmNodeInformer)) : undefined),
    policies: () => cachedPolicies(find(disruptionPolicyInformer)),
    hco: (config) => hcoFact(config, { find, hcoNamespace }),
    starting: (specs) => {
      const unready = specs.find(
        (spec) =>
          (find(spec)?.state ?? "starting") === "starting" &&
          !(spec === vmNodeInformer && refusalOfNodes(find(spec)) !== undefined),
      );
      return unready === undefined ? undefined : (find(unready) ?? unready);
    },
    isConfigsListed: () => find(configInformer)?.state === "synced",
  };
}

/** Returns the refusal of the first node list. Plans work without nodes, but wait for a list in progress. */
function refusalOfNodes(informer: InformerState | undefined): string | undefined {
  const isRefused = informer?.state === "starting" && informer.lastError?.startsWith("403") === true;
  return isRefused ? informer.lastError : undefined;
}

function byPlace({ metadata: one }: KubeObject, { metadata: other }: KubeObject): number {
  const [left, right] = [one, other].map(({ namespace = "", name }) => `${namespace}/${name}`);
  return (left ?? "") < (right ?? "") ? -1 : 1;
}

/** Reports whether the object has a spec. The API server stores no config without one. */
export function isConfig(object: KubeObject | undefined): object is KubeObject & VirtPlatformConfig {
  return typeof object?.["spec"] === "object" && object["spec"] !== null;
}

/** Returns the HyperConverged in the version of the stored plan, if it is still served. */
function hcoFact(
  config: VirtPlatformConfig,
  { find, hcoNamespace }: Pick<AdvisorViewOptions, "find" | "hcoNamespace">,
): ProfileHcoFact {
  const found = findHyperConverged(advisorHcoInformers(), find, hcoNamespace);
  const { apiVersion = "hco.kubevirt.io/v1beta1" } = found.kind === "starting" ? {} : found;
  const object = found.kind === "found" ? found.object : undefined;
  const namespace = (object === undefined ? hcoNamespace : object.metadata.namespace) || usualHcoNamespaces[0];
  if (found.kind === "several")
    return { apiVersion, namespace, object, ambiguity: severalHyperConvergeds(found.objects) };
  if (found.kind === "none" && found.elsewhere.length > 0)
    return { apiVersion, namespace, object, ambiguity: hyperConvergedElsewhere(found.elsewhere, hcoNamespace) };
  const stored = config.status?.items?.find(({ targetRef }) => targetRef.kind === "HyperConverged")?.targetRef;
  const kept = stored?.namespace === namespace ? find(targetInformer(stored)) : undefined;
  if (stored === undefined || kept?.state !== "synced") return { apiVersion, namespace, object };
  return { apiVersion: stored.apiVersion, namespace, object: object && ([...kept.store.items()][0] ?? object) };
}
