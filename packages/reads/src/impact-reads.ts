// What an impact is assessed by: lists that somebody follows, and what is read one by one, a few at a time, and remembered.

import type { KubeObject, NotAssessedReason } from "@virt/api";
import { asList, asText, at, oncePer } from "@virt/engine";
import { infrastructureInformer, poolInformer } from "@virt/facts";
import {
  type Assessment,
  assessed,
  budgetInformer,
  disruptionPolicyInformer,
  type ImpactFacts,
  impactNodeInformer,
  kubeVirtInformer,
  type NeededReads,
  notAssessed,
  type PodFact,
  readBudgetFact,
  readClusterShape,
  readDisruptionPolicies,
  readNodeFact,
  readPodFact,
  readRunStrategy,
  readVirtSettings,
  readVmFact,
  vmInformer,
} from "@virt/impact";
import {
  type Discovery,
  type InformerSpec,
  type InformerState,
  listObjects,
  metadataOnly,
  type Reader,
  type Resource,
  readResultOf,
  type Sender,
} from "@virt/kube";
import type { ListAnswer } from "./list-once.ts";

/** All objects that an informer would show, or why nobody knows them. */
export type ListFacts = (spec: InformerSpec) => Assessment<readonly KubeObject[]>;

export type ImpactSources = Pick<ImpactFacts, "assessedAt" | "disruption" | "renderedOf"> & {
  readonly list: ListFacts;
  readonly hco: KubeObject | undefined;
  readonly reads: ImpactReads;
};

// Thousands of VMs, of which few are others than a moment ago, and mostly none.
const nodeFacts = oncePerList(readNodeFact);
const vmFacts = oncePerList(readVmFact);
const budgetFacts = oncePerList(readBudgetFact);

function oncePerList<Fact>(read: (object: KubeObject) => Fact): (objects: readonly KubeObject[]) => readonly Fact[] {
  const fact = oncePer(read);
  return oncePer((objects: readonly KubeObject[]) => objects.map(fact));
}

export function collectImpactFacts({ list, hco, reads, ...given }: ImpactSources): ImpactFacts {
  const pools = list(poolInformer);
  const kubevirts = mapped(list(kubeVirtInformer), (found) => readVirtSettings(found[0], hco));
  return {
    ...given,
    pools: pools.isAssessed ? pools.value : [],
    // Without its pools nobody knows which nodes a write reaches.
    nodes: pools.isAssessed ? mapped(list(impactNodeInformer), nodeFacts) : pools,
    policies: listPolicies(list),
    shape: mapped(list(infrastructureInformer), ([found]) => readClusterShape(found)),
    settings: isMissing(kubevirts) ? assessed(readVirtSettings(undefined, hco)) : kubevirts,
    vms: mapped(list(vmInformer), vmFacts),
    runStrategies: reads.runStrategies,
    budgets: mapped(list(budgetInformer), budgetFacts),
    pods: reads.pods,
    restartSamples: new Map(),
  };
}

/** What the cluster does instead of reboots. */
export function listPolicies(list: ListFacts): ImpactFacts["policies"] {
  return mapped(list(disruptionPolicyInformer), ([found]) => readDisruptionPolicies(found));
}

function mapped<From, To>(from: Assessment<From>, change: (value: From) => To): Assessment<To> {
  return from.isAssessed ? assessed(change(from.value)) : from;
}

function isMissing(input: Assessment<unknown>): boolean {
  return !input.isAssessed && input.reason === "NotServed";
}

/** A list that was made once. */
export function assessList(answer: ListAnswer): Assessment<readonly KubeObject[]> {
  switch (answer.kind) {
    case "listed":
      return assessed(answer.items);
    case "not-served":
      return notAssessed("NotServed");
    case "failed":
      return notAssessed(answer.isForbidden ? "Forbidden" : "Unavailable", answer.message);
  }
}

/** Errors count after this time: until then it is the first list that is under way. */
const patienceMs = 60_000;

/** Out of informers; `now` is monotonic. */
export class InformerLists {
  readonly #find: (spec: InformerSpec) => InformerState | undefined;
  readonly #failingSince = new Map<string, number>();

  constructor(find: (spec: InformerSpec) => InformerState | undefined) {
    this.#find = find;
  }

  list(spec: InformerSpec, now: number): Assessment<readonly KubeObject[]> {
    const informer = this.#find(spec);
    const error = informer?.lastError;
    if (error === undefined) this.#failingSince.delete(spec.kind);
    if (informer?.state === "not served") return notAssessed("NotServed");
    if (informer?.state === "synced" && error === undefined) return assessed(informer.store.notifiedItems);
    if (error === undefined) return notAssessed("Listing");
    if (informer?.isTooLarge === true) return notAssessed("TooMany", error);
    if (error.startsWith("403")) return notAssessed("Forbidden", error);
    const since = this.#failingSince.get(spec.kind) ?? now;
    this.#failingSince.set(spec.kind, since);
    return now - since < patienceMs ? notAssessed("Listing", error) : notAssessed("Unavailable", error);
  }

  /** When an error becomes one that counts; undefined: none is new. */
  get patientUntil(): number | undefined {
    const [first] = [...this.#failingSince.values()].toSorted((left, right) => left - right);
    return first === undefined ? undefined : first + patienceMs;
  }
}

/** As many requests at once. */
const lanes = 4;
/** As many owners a time; the others follow. */
const mostOwners = 50;
const podAgeMs = 600_000;
const pageSize = 500;
/** No kubelet runs as many pods: a list that is longer has no end. */
const mostPages = 10;

export type ReadsContext = {
  readonly sender: Sender;
  readonly discovery: Pick<Discovery, "find">;
  readonly reader: Reader;
  readonly signal: AbortSignal;
  /** Monotonic. */
  readonly now: number;
};

type Refusal = { readonly reason: NotAssessedReason; readonly message: string };

/** What was read one by one. Bounded by what was last needed. */
export class ImpactReads {
  #strategies = new Map<string, string>();
  #strategyRefusal: Refusal | undefined;
  #pods = new Map<string, { readonly pods: readonly PodFact[]; readonly at: number }>();
  #podRefusal: Refusal | undefined = { reason: "Listing", message: "" };

  get runStrategies(): ImpactFacts["runStrategies"] {
    return this.#strategyRefusal === undefined ? assessed(this.#strategies) : refusedOf(this.#strategyRefusal);
  }

  get pods(): ImpactFacts["pods"] {
    if (this.#podRefusal !== undefined) return refusedOf(this.#podRefusal);
    return assessed(new Map([...this.#pods].map(([node, { pods }]) => [node, pods])));
  }

  /** A right is missing, or a kind is not served: asking again soon is of no use. */
  get isRefused(): boolean {
    return [this.#podRefusal, this.#strategyRefusal].some((refusal) => (refusal?.reason ?? "Listing") !== "Listing");
  }

  /** When pods are to be listed again, in monotonic milliseconds. */
  get podsDueAt(): number {
    return [...this.#pods.values()].reduce((first, { at }) => Math.min(first, at + podAgeMs), Number.POSITIVE_INFINITY);
  }

  /** Reads what is not known yet, and pods again when they are old. Whole: nothing was left out or failed for a moment. */
  async load(needed: Pick<NeededReads, "nodes" | "owners">, context: ReadsContext): Promise<{ isWhole: boolean }> {
    const isOwnersWhole = await this.#loadOwners(needed.owners, context);
    const isPodsWhole = await this.#loadPods(needed.nodes, context);
    return { isWhole: isOwnersWhole && isPodsWhole };
  }

  async #loadOwners(owners: NeededReads["owners"], { reader }: ReadsContext): Promise<boolean> {
    const keyOf = ({ namespace, name }: { namespace: string; name: string }) => `${namespace}/${name}`;
    const wanted = new Set(owners.map(keyOf));
    this.#strategies = new Map([...this.#strategies].filter(([key]) => wanted.has(key)));
    const missing = owners.filter((owner) => !this.#strategies.has(keyOf(owner)));
    let refusal: Refusal | undefined;
    await inLanes(missing.slice(0, mostOwners), async (owner) => {
      if (refusal !== undefined) return;
      const reading = await reader.read({ apiVersion: "kubevirt.io/v1", kind: "VirtualMachine", ...owner });
      // One that is gone, or says nothing, starts nothing again.
      if (reading.kind === "found") this.#strategies.set(keyOf(owner), readRunStrategy(reading.object) ?? "");
      else if (reading.kind === "absent") this.#strategies.set(keyOf(owner), "");
      else refusal = refusalOf(reading);
    });
    this.#strategyRefusal = refusal;
    return refusal === undefined ? missing.length <= mostOwners : refusal.reason !== "Listing";
  }

  async #loadPods(nodes: readonly string[], context: ReadsContext): Promise<boolean> {
    const wanted = new Set(nodes);
    this.#pods = new Map([...this.#pods].filter(([node]) => wanted.has(node)));
    const isOld = (node: string) => context.now - (this.#pods.get(node)?.at ?? Number.NEGATIVE_INFINITY) >= podAgeMs;
    const due = nodes.filter(isOld);
    let refusal: Refusal | undefined;
    const found = due.length === 0 ? undefined : await context.discovery.find(podKind, context.signal, context.sender);
    await inLanes(due, async (node) => {
      if (refusal !== undefined || found === undefined) return;
      const listed =
        found.kind === "served" ? await listPods(found.resource, node, context) : refusalOf({ kind: "unavailable" });
      if ("reason" in listed) refusal = listed;
      else this.#pods.set(node, { pods: listed.pods, at: context.now });
    });
    this.#podRefusal = refusal;
    return refusal === undefined || refusal.reason !== "Listing";
  }
}

const podKind = { apiVersion: "v1", kind: "Pod" };

function refusedOf({ reason, message }: Refusal): Assessment<never> {
  return notAssessed(reason, message);
}

function refusalOf(reading: { readonly kind: string; readonly reason?: string; readonly message?: string }): Refusal {
  if (reading.kind === "missing") return { reason: "NotServed", message: "" };
  // What a server says of one object names it.
  if (reading.kind === "rejected")
    return { reason: reading.reason === "Forbidden" ? "Forbidden" : "Unavailable", message: "" };
  return { reason: "Listing", message: "" };
}

/** What is never evicted, or is a VM's, is not even kept. */
async function listPods(
  resource: Resource,
  node: string,
  { sender, signal }: ReadsContext,
): Promise<{ readonly pods: readonly PodFact[] } | Refusal> {
  const fieldSelector = `spec.nodeName=${node},status.phase!=Succeeded,status.phase!=Failed`;
  const pods: PodFact[] = [];
  let more: string | undefined;
  for (let pages = 0; pages < mostPages; pages++) {
    const page = { fieldSelector, accept: metadataOnly.list, limit: pageSize, ...(more && { continue: more }) };
    const reading = readResultOf(await sender.send(listObjects(resource, {}, page), { signal }));
    if (reading.kind !== "found") return refusalOf(reading);
    for (const item of asList(at(reading.object, "items"))) {
      const pod = readPodFact({ ...(item as KubeObject), ...podKind });
      if (!pod.isMirror && pod.controllerKind !== "DaemonSet") pods.push(pod);
    }
    more = asText(at(reading.object, "metadata", "continue")) || undefined;
    if (more === undefined) return { pods };
  }
  return { reason: "TooMany", message: "" };
}

/** A few at once, in their order. */
export async function inLanes<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const lane = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
