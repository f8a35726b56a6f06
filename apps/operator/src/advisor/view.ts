// What the caches show at this moment: configs, targets, pools, the HyperConverged.

import type { HcoFact, Profile } from "@virt/advisor";
import type { KubeObject, Ref, VirtPlatformConfig } from "@virt/api";
import type { Watch, WatchSpec } from "@virt/kube";
import { configWatch, hcoVersions, hcoWatch, poolWatch, targetWatch, type Wanting, watchesOf } from "./watches.ts";

export type View = {
  readonly configs: () => readonly VirtPlatformConfig[];
  readonly config: (name: string) => VirtPlatformConfig | undefined;
  readonly wanted: () => readonly WatchSpec[];
  readonly wantedBy: (config: VirtPlatformConfig) => readonly WatchSpec[];
  /** Undefined: absent, or its kind is not watched. */
  readonly target: (ref: Ref) => KubeObject | undefined;
  readonly pools: () => readonly KubeObject[];
  readonly hco: (config: VirtPlatformConfig) => HcoFact;
  /** The first of these watches whose list is not complete, though its kind may be served. */
  readonly starting: (specs: readonly WatchSpec[]) => Watch | WatchSpec | undefined;
  readonly isConfigsListed: () => boolean;
};

export type ViewParts = {
  readonly find: (spec: WatchSpec) => Watch | undefined;
  readonly profiles: readonly Profile[];
  readonly hcoNamespace: string;
};

const usualNamespace = "openshift-cnv";

export function createView(parts: ViewParts): View {
  const { find, hcoNamespace } = parts;
  const wanting: Wanting = parts;
  const all = (spec: WatchSpec): readonly KubeObject[] => [...(find(spec)?.store.items() ?? [])];
  const configs = () => all(configWatch).filter(isConfig);
  return {
    configs,
    config: (name) => configs().find(({ metadata }) => metadata.name === name),
    wanted: () => [configWatch, ...configs().flatMap((config) => watchesOf(config, wanting))],
    wantedBy: (config) => watchesOf(config, wanting),
    target: (ref) => all(targetWatch(ref))[0],
    pools: () => all(poolWatch),
    hco: (config) => hcoFact(config, { find, hcoNamespace }),
    starting: (specs) => {
      const unready = specs.find((spec) => (find(spec)?.state ?? "starting") === "starting");
      return unready === undefined ? undefined : (find(unready) ?? unready);
    },
    isConfigsListed: () => find(configWatch)?.state === "synced",
  };
}

/** What the API server would not have stored is nobody's config. */
function isConfig(object: KubeObject): object is KubeObject & VirtPlatformConfig {
  return typeof object["spec"] === "object" && object["spec"] !== null;
}

/** A stored plan keeps its version while that is served. */
function hcoFact(
  config: VirtPlatformConfig,
  { find, hcoNamespace }: Pick<ViewParts, "find" | "hcoNamespace">,
): HcoFact {
  const stored = config.status?.items?.find(({ targetRef }) => targetRef.kind === "HyperConverged")?.targetRef;
  const kept = stored && find(targetWatch(stored));
  if (stored !== undefined && kept?.state === "synced") {
    const object = [...kept.store.items()][0];
    return { apiVersion: stored.apiVersion, namespace: stored.namespace ?? usualNamespace, object };
  }
  const served = hcoVersions.find((version) => find(hcoWatch(version, hcoNamespace))?.state === "synced");
  const apiVersion = served ?? "hco.kubevirt.io/v1beta1";
  const found = [...(find(hcoWatch(apiVersion, hcoNamespace))?.store.items() ?? [])].toSorted(byNamespace)[0];
  return { apiVersion, namespace: found?.metadata.namespace ?? (hcoNamespace || usualNamespace), object: found };
}

function byNamespace(left: KubeObject, right: KubeObject): number {
  const [a = "", b = ""] = [left.metadata.namespace, right.metadata.namespace];
  return a < b ? -1 : Number(a > b);
}
