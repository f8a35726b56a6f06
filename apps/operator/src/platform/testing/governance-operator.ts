// An operator process in a test cluster. Each of its caches lags independently.

import { configKind, type KubeObject } from "@virt/api";
import type { GovernorConfig } from "@virt/cluster";
import type { InformerSpec, InformerState, ReconcileContext } from "@virt/kube";
import {
  buildClusterFacts,
  evaluateObject,
  governanceRecordName,
  lookupIn,
  managedObjects,
  placesIn,
  prunedParts,
  shapeOfObject,
} from "@virt/platform";
import { createGovernance, type Governance } from "../governance.ts";
import type { Snapshot } from "../snapshot.ts";
import {
  type AssetName,
  type ClusterWrite,
  type ConfigName,
  type Defect,
  governanceAssets,
  type Interruption,
  purposes,
  purposesOf,
  type StreamName,
  streams,
} from "./governance-catalog.ts";

const own = "virt-platform-operator-system";

export type ServedCluster = {
  readonly hco: KubeObject | undefined;
  readonly record: KubeObject | undefined;
  readonly configs: ReadonlyMap<ConfigName, KubeObject>;
  readonly machineConfigs: ReadonlyMap<AssetName, KubeObject>;
  readonly itemsOf: (stream: StreamName) => readonly KubeObject[];
  readonly stamp: (object: KubeObject) => KubeObject;
  readonly setRecord: (record: KubeObject) => KubeObject | undefined;
  readonly write: (write: ClusterWrite) => void;
  readonly onSeen: (config: KubeObject) => void;
  readonly onRemembered: (config: KubeObject) => void;
  readonly onStored: () => void;
};

type StreamCache = { items: readonly KubeObject[]; isSynced: boolean; presult: (readonly KubeObject[])[] };

export class LaggingOperator {
  readonly #cluster: ServedCluster;
  readonly #activation: "always" | "opt-in";
  readonly #defect: Defect | undefined;
  readonly #governance: Governance;
  #passedMs = 0;
  readonly #caches = new Map<StreamName, StreamCache>(
    streams.map((stream) => [stream, { items: [], isSynced: false, presult: [] }]),
  );

  constructor(cluster: ServedCluster, activation: "always" | "opt-in", defect: Defect | undefined) {
    this.#cluster = cluster;
    this.#activation = activation;
    this.#defect = defect;
    this.#governance = createGovernance({
      assets: governanceAssets,
      purposesOf,
      profiles: { all: Object.keys(purposes), onHco: [] },
      ownNamespace: own,
      settings: { hcoNamespace: "cnv" } as Parameters<typeof createGovernance>[0]["settings"],
      find: (spec) => this.#find(spec),
      clock: { wall: () => 0, monotonic: () => (this.#passedMs += 60_000), schedule: () => () => undefined },
      log: { debug: ignore, info: ignore, warn: ignore, error: ignore, child: () => this.#never() },
      enqueue: ignore,
    });
  }

  #never(): never {
    throw new Error("unexpected child of this log");
  }

  #find(spec: InformerSpec): InformerState | undefined {
    if (spec.apiVersion === "hco.kubevirt.io/v1beta1") return undefined;
    const stream = streamOf(spec);
    const cache = stream && this.#caches.get(stream);
    if (cache === undefined) return undefined;
    const store = { items: () => cache.items } as unknown as InformerState["store"];
    return { spec, store, state: cache.isSynced ? "synced" : "starting" } as unknown as InformerState;
  }

  queue(stream: StreamName, items: readonly KubeObject[]): void {
    const cache = this.#caches.get(stream);
    if (cache?.isSynced === true) cache.presult.push(items);
  }

  get isSynced(): boolean {
    return [...this.#caches.values()].every(({ isSynced }) => isSynced);
  }

  list(stream: StreamName): void {
    const cache = this.#caches.get(stream);
    if (cache === undefined || cache.isSynced) return;
    cache.items = this.#cluster.itemsOf(stream);
    cache.isSynced = true;
    this.#governance.observe();
  }

  deliver(stream: StreamName): void {
    const cache = this.#caches.get(stream);
    const items = cache?.presult.shift();
    if (cache === undefined || items === undefined) return;
    cache.items = items;
    if (this.#defect !== "late observation") this.#governance.observe();
    if (stream === "configs" && this.isSynced) for (const config of items) this.#cluster.onSeen(config);
  }

  async reconcileGovernance(during: Interruption): Promise<void> {
    const cluster = this.#cluster;
    const context = {
      cluster: {
        read: (ref: { readonly kind: string; readonly name: string }) => {
          const fresh = ref.kind === "HyperConverged" ? cluster.hco : cluster.machineConfigs.get(ref.name as AssetName);
          const object = this.#defect === "stale read" && ref.kind === "HyperConverged" ? this.#hcoInCache() : fresh;
          during();
          return Promise.resolve(object === undefined ? { kind: "absent" } : { kind: "found", object });
        },
        apply: (object: KubeObject, { expect }: { readonly expect: unknown }) => {
          const isStale =
            expect === "absent"
              ? cluster.record !== undefined
              : (expect as { readonly resourceVersion: string }).resourceVersion !==
                cluster.record?.metadata.resourceVersion;
          if (this.#defect === "nothing stored") return Promise.resolve({ kind: "done", live: cluster.stamp(object) });
          const live = isStale
            ? undefined
            : cluster.setRecord({ ...object, metadata: { ...object.metadata, uid: "record" } });
          during();
          return Promise.resolve(live === undefined ? { kind: "stale" } : { kind: "done", live });
        },
      },
      wrote: ignore,
    } as unknown as ReconcileContext;
    const { result } = await this.#governance.reconcile(this.#snapshot(), context);
    if (result.kind !== "done" || !this.isSynced) return;
    for (const config of this.#caches.get("configs")?.items ?? []) cluster.onRemembered(config);
    cluster.onStored();
  }

  reconcileObject(asset: AssetName, during: Interruption): void {
    const snapshot = this.#snapshot();
    const object = snapshot?.objects.find(({ ref }) => ref.name === asset);
    if (snapshot === undefined || object === undefined) return;
    const isThere = this.#cluster.machineConfigs.has(asset);
    const { wanted } = snapshot.evaluate(object);
    const isPruned = wanted.kind === "excluded" && isThere && prunedParts(object, snapshot.facts).length > 0;
    const isCreated = wanted.kind === "object" && !isThere;
    if (!isPruned && !isCreated) return;
    const plans = [...this.#cluster.configs.values()] as unknown as readonly GovernorConfig[];
    during();
    const isOurs = this.#governance.isLeftToUs(object, isPruned ? "prune" : "apply", plans);
    if (isOurs || this.#defect === "no confirmation")
      this.#cluster.write({ asset, verb: isPruned ? "delete" : "create" });
  }

  #hcoInCache(): KubeObject | undefined {
    return this.#caches.get("hco")?.items[0];
  }

  #snapshot(): Snapshot | undefined {
    const hco = this.#hcoInCache();
    if (hco === undefined || !this.isSynced) return undefined;
    const objects = [...(this.#caches.get("configs")?.items ?? []), ...this.#cluster.machineConfigs.values()];
    const facts = buildClusterFacts(hco, {
      lookup: lookupIn({ objects, crds: [] }),
      assets: governanceAssets,
      activation: this.#activation,
      images: {},
      purposesOf,
      ownNamespace: own,
      exclusions: [],
      released: this.#governance.released(),
      releasedUnread: this.#governance.unread(),
    });
    const managed = managedObjects(governanceAssets, placesIn(hco, { ownNamespace: own }));
    return {
      hco,
      content: "",
      facts,
      objects: managed,
      object: (key) => managed.find(({ ref }) => ref.name === key),
      evaluate: (object) =>
        evaluateObject(object, { facts, shapeOf: shapeOfObject(object, facts), lastKnown: new Map() }),
      invalidate: ignore,
    };
  }
}

function ignore(): void {}

function streamOf({ kind, name }: InformerSpec): StreamName | undefined {
  if (kind === "HyperConverged") return "hco";
  if (kind === configKind.kind) return "configs";
  return kind === "ConfigMap" && name === governanceRecordName ? "record" : undefined;
}
