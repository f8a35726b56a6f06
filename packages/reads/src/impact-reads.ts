// Reads and caches the inputs of an impact assessment that have no informer: pods of nodes, owners of VMs, and the
// Infrastructure.

import type { KubeObject } from "@virt/api";
import { infrastructureInformer, type PodFact, readPodFact, readRunStrategy } from "@virt/cluster";
import { type Assessment, assessed, type ImpactFacts, type NeededReads, notAssessed } from "@virt/impact";
import {
  type ApiReader,
  type ClusterReader,
  type Discovery,
  listObjects,
  listPages,
  metadataOnly,
  type Resource,
} from "@virt/kube";
import { ReadRetries, type Refusal, type RetryOptions, refusalOf } from "./read-retries.ts";

/** The maximum number of parallel requests. */
const lanes = 4;
/** The maximum number of owners per load. Later loads read the rest. */
const mostOwners = 50;
const podAgeMs = 600_000;
/** The maximum number of pages. No node has more pods than this, so a longer list is endless. */
const mostPages = 10;

export type ReadsContext = {
  readonly sender: ApiReader;
  readonly discovery: Pick<Discovery, "find">;
  readonly reader: ClusterReader;
  readonly signal: AbortSignal;
  /** Monotonic milliseconds. */
  readonly now: number;
};

type NeededLoads = Pick<NeededReads, "nodes" | "owners">;

/** Caches single reads. Keeps only the entries that the last load needed. */
export class ImpactReads {
  readonly #ownerRetries: ReadRetries;
  readonly #podRetries: ReadRetries;
  #strategies = new Map<string, string>();
  #pods = new Map<string, { readonly pods: readonly PodFact[]; readonly at: number }>();
  #hasAllPods = false;

  constructor(options: RetryOptions = {}) {
    this.#ownerRetries = new ReadRetries(options);
    this.#podRetries = new ReadRetries(options);
  }

  /** Returns the run strategies that were read. Not assessed if the others cannot be read. */
  get runStrategies(): ImpactFacts["runStrategies"] {
    const { refusal } = this.#ownerRetries;
    return refusal === undefined || refusal.reason === "Listing"
      ? assessed(this.#strategies)
      : notAssessed(refusal.reason, refusal.message);
  }

  /** Returns the pods of all needed nodes. Earlier lists stay valid while requests fail temporarily. */
  get pods(): ImpactFacts["pods"] {
    const { refusal } = this.#podRetries;
    const isKept = this.#hasAllPods && refusal?.reason === "Listing";
    if (refusal !== undefined && !isKept) return notAssessed(refusal.reason, refusal.message);
    if (!this.#hasAllPods) return notAssessed("Listing");
    return assessed(new Map([...this.#pods].map(([node, { pods }]) => [node, pods])));
  }

  /** Monotonic milliseconds of the next retry. */
  get retryAt(): number {
    return Math.min(this.#ownerRetries.dueAt, this.#podRetries.dueAt);
  }

  /** Monotonic milliseconds of the next necessary load: a retry, or a refresh of old pods. */
  get dueAt(): number {
    return [...this.#pods.values()].reduce((first, { at }) => Math.min(first, at + podAgeMs), this.retryAt);
  }

  /**
   * Reads missing entries, and refreshes pods after 10 minutes. `isWhole` is true if nothing was omitted and no read
   * failed temporarily. `hasMore` is true if another load is needed.
   */
  async load(needed: NeededLoads, context: ReadsContext): Promise<{ isWhole: boolean; hasMore: boolean }> {
    const left = await this.#loadOwners(needed.owners, context);
    await this.#loadPods(needed.nodes, context);
    const isFailing = [this.#ownerRetries, this.#podRetries].some(({ refusal }) => refusal?.reason === "Listing");
    return { isWhole: left === 0 && !isFailing, hasMore: left > 0 };
  }

  /** Loads until nothing is left or `isPatient` returns false. */
  async loadAll(needed: NeededLoads, context: ReadsContext, isPatient: () => boolean): Promise<{ isWhole: boolean }> {
    for (;;) {
      const { isWhole, hasMore } = await this.load(needed, context);
      if (!hasMore || !isPatient()) return { isWhole };
    }
  }

  async #loadOwners(owners: NeededReads["owners"], { reader, now }: ReadsContext): Promise<number> {
    const keyOf = ({ namespace, name }: { namespace: string; name: string }) => `${namespace}/${name}`;
    const wanted = new Set(owners.map(keyOf));
    this.#strategies = new Map([...this.#strategies].filter(([key]) => wanted.has(key)));
    const missing = owners.filter((owner) => !this.#strategies.has(keyOf(owner)));
    if (missing.length > 0 && !this.#ownerRetries.mayRead(now)) return 0;
    let refusal: Refusal | undefined;
    await inLanes(missing.slice(0, mostOwners), async (owner) => {
      if (refusal !== undefined) return;
      const reading = await reader.read({ apiVersion: "kubevirt.io/v1", kind: "VirtualMachine", ...owner });
      // A VM that was deleted or has no run strategy does not restart.
      if (reading.kind === "found") this.#strategies.set(keyOf(owner), readRunStrategy(reading.object) ?? "");
      else if (reading.kind === "absent") this.#strategies.set(keyOf(owner), "");
      else refusal = refusalOf(reading);
    });
    this.#ownerRetries.note(refusal, now);
    return refusal === undefined ? Math.max(0, missing.length - mostOwners) : 0;
  }

  async #loadPods(nodes: readonly string[], context: ReadsContext): Promise<void> {
    const { now, discovery, signal, sender } = context;
    const wanted = new Set(nodes);
    this.#pods = new Map([...this.#pods].filter(([node]) => wanted.has(node)));
    const isOld = (node: string) => now - (this.#pods.get(node)?.at ?? Number.NEGATIVE_INFINITY) >= podAgeMs;
    const due = nodes.filter(isOld);
    this.#hasAllPods = nodes.every((node) => this.#pods.has(node));
    if (due.length > 0 && !this.#podRetries.mayRead(now)) return;
    let refusal: Refusal | undefined;
    const found = due.length === 0 ? undefined : await discovery.find(podKind, signal, sender);
    await inLanes(due, async (node) => {
      if (refusal !== undefined || found === undefined) return;
      const listed =
        found.kind === "served" ? await listPods(found.resource, node, context) : refusalOf({ kind: "unavailable" });
      if ("reason" in listed) refusal = listed;
      else this.#pods.set(node, { pods: listed.pods, at: now });
    });
    this.#podRetries.note(refusal, now);
    this.#hasAllPods = nodes.every((node) => this.#pods.has(node));
  }
}

/**
 * Reads the Infrastructure if it is not watched. A known Infrastructure stays valid while requests fail. Times are
 * monotonic, in milliseconds.
 */
export class InfrastructureRead {
  readonly #retries = new ReadRetries({ restsWhenRefused: true });
  readonly #ageMs: number;
  #known: { readonly list: Assessment<readonly KubeObject[]>; readonly atMs: number } | undefined;

  /** Repeats the read after `ageMs`. Default: never. */
  constructor(ageMs = Number.POSITIVE_INFINITY) {
    this.#ageMs = ageMs;
  }

  /** Returns the result, like an informer's list. `Listing` means that it has not been read yet, or failed temporarily. */
  get list(): Assessment<readonly KubeObject[]> {
    const { refusal } = this.#retries;
    if (this.#known !== undefined) return this.#known.list;
    return refusal === undefined ? notAssessed("Listing") : notAssessed(refusal.reason, refusal.message);
  }

  /** The time of the next retry, or infinity. */
  get retryAt(): number {
    return this.#retries.dueAt;
  }

  async load(cluster: ClusterReader, now: number): Promise<void> {
    const isFresh = this.#known !== undefined && now - this.#known.atMs < this.#ageMs;
    if (isFresh || !this.#retries.mayRead(now)) return;
    const { apiVersion, kind, name = "" } = infrastructureInformer;
    const reading = await cluster.read({ apiVersion, kind, name });
    const isKnown = reading.kind === "found" || reading.kind === "absent" || reading.kind === "missing";
    const message = "message" in reading ? reading.message : "";
    this.#retries.note(isKnown ? undefined : { ...refusalOf(reading), message }, now);
    if (isKnown)
      this.#known = {
        list: reading.kind === "found" ? assessed([reading.object]) : notAssessed("NotServed"),
        atMs: now,
      };
  }
}

const podKind = { apiVersion: "v1", kind: "Pod" };

/** Lists the pods of a node. Omits those that a drain never evicts. */
export async function listPods(
  resource: Resource,
  node: string,
  { sender, signal }: Pick<ReadsContext, "sender" | "signal">,
): Promise<{ readonly pods: readonly PodFact[] } | Refusal> {
  const fieldSelector = `spec.nodeName=${node},status.phase!=Succeeded,status.phase!=Failed`;
  const pods: PodFact[] = [];
  const request = { fieldSelector, accept: metadataOnly.list };
  const listed = await listPages((page) => listObjects(resource, {}, { ...request, ...page }), {
    client: sender,
    signal,
    mostPages,
    onItem: (item) => {
      const pod = readPodFact({ ...item, ...podKind });
      if (!pod.isMirror && pod.controllerKind !== "DaemonSet") pods.push(pod);
    },
  });
  switch (listed.kind) {
    case "listed":
      return { pods };
    case "too large":
      return { reason: "TooMany", message: "a pod is too large to be read" };
    case "endless":
      return { reason: "TooMany", message: "" };
    case "absent":
    case "missing":
    case "rejected":
    case "unavailable":
      return refusalOf(listed);
  }
}

/** Processes items in order, 4 in parallel. */
export async function inLanes<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const lane = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
