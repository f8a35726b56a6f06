// Reads configs, plan targets, pools and the HyperConverged from the informers' caches.

import { type ObjectsRead, type Profile, type ProfileHcoFact } from "@virt/advisor";
import { autopilotName, type KubeObject, type Ref, type VirtPlatformConfig } from "@virt/api";
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
  rolloutInformersOf,
  targetInformer,
} from "./informers.ts";

export type AdvisorView = {
  readonly configs: () => readonly VirtPlatformConfig[];
  readonly config: (name: string) => VirtPlatformConfig | undefined;
  readonly wanted: () => readonly InformerSpec[];
  /** Returns the informers that drafting or executing the plan requires. */
  readonly wantedBy: (config: VirtPlatformConfig) => readonly InformerSpec[];
  /** Returns undefined if the object does not exist or its kind is not watched. */
  readonly target: (ref: Ref) => KubeObject | undefined;
  /** Sorted by namespace and name. Empty if the kind is not served or not watched. */
  readonly objects: (read: ObjectsRead) => readonly KubeObject[];
  readonly pools: () => readonly KubeObject[];
  /** Returns undefined if this config needs no nodes, or if the first list is not complete. */
  readonly vmNodes: (config: VirtPlatformConfig) => readonly KubeObject[] | undefined;
  /** Returns the API server's error if the advisor may not list the nodes for this config, otherwise undefined. */
  readonly nodesRefusal: (config: VirtPlatformConfig) => string | undefined;
  /** Returns undefined if the policies are not watched, or have not been read yet. */
  readonly policies: () => Assessment<DisruptionPolicies> | undefined;
  readonly hco: (config: VirtPlatformConfig) => ProfileHcoFact;
  /**
   * Returns the first informer that has not synced. Skips kinds that are not served, nodes if listing them is forbidden,
   * and the Deployment of virt-platform-autopilot if reading it fails.
   */
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
          !(spec === vmNodeInformer && refusalOfNodes(find(spec)) !== undefined) &&
          !(spec.name === autopilotName && find(spec)?.lastError !== undefined),
      );
      return unready === undefined ? undefined : (find(unready) ?? unready);
    },
    isConfigsListed: () => find(configInformer)?.state === "synced",
  };
}

/** Returns the error of the first node list. A plan can do without nodes, but it waits for a list in progress. */
function refusalOfNodes(informer: InformerState | undefined): string | undefined {
  const isRefused = informer?.state === "starting" && informer.lastError?.startsWith("403") === true;
  return isRefused ? informer.lastError : undefined;
}

function byPlace({ metadata: one }: KubeObject, { metadata: other }: KubeObject): number {
  const [left, right] = [one, other].map(({ namespace = "", name }) => `${namespace}/${name}`);
  return (left ?? "") < (right ?? "") ? -1 : 1;
}

/** Reports whether the object is a config. The API server rejects configs without a spec. */
export function isConfig(object: KubeObject | undefined): object is KubeObject & VirtPlatformConfig {
  return typeof object?.["spec"] === "object" && object["spec"] !== null;
}

/** Returns the HyperConverged in the API version that the stored plan uses, if that version is still served. */
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
