// The pods of nodes that drain: listed when a drain begins, and again every 10 seconds within a limit.

import type { PodFact } from "@virt/impact";
import type { Resource, Sender } from "@virt/kube";
import { inLanes, listPods } from "./impact-reads.ts";
import { patienceMs, ReadRetries, type Refusal, type RetryOptions } from "./read-retries.ts";

const podResource: Resource = { group: "", version: "v1", plural: "pods", isNamespaced: true };
const podAgeMs = 10_000;
const windowMs = 60_000;
/** Lists in any period as long as the window. If many nodes drain, each list is older. */
const mostLists = 20;

/** Needed to list pods. `now` is monotonic, in milliseconds. */
export type DrainedPodsContext = { readonly sender: Sender; readonly signal: AbortSignal; readonly now: number };

/** Pods by node. After a refusal, the lists from before stay. */
export class DrainedPods {
  readonly #lists = new Map<string, { readonly pods: readonly PodFact[]; readonly at: number }>();
  /** When each node was first wanted, monotonic. */
  readonly #wantedSince = new Map<string, number>();
  readonly #retries: ReadRetries;
  readonly #patienceMs: number;
  #sentAt: readonly number[] = [];

  /** `isPatient`: false if nobody asks again, so that a missing list counts at once. */
  constructor({ isPatient = true }: Pick<RetryOptions, "isPatient"> = {}) {
    this.#retries = new ReadRetries({ isPatient, restsWhenRefused: true });
    this.#patienceMs = isPatient ? patienceMs : 0;
  }

  /** Lists the pods of these nodes as far as lists are missing or old, and forgets all other nodes. */
  async load(
    nodes: readonly string[],
    { now, ...context }: DrainedPodsContext,
  ): Promise<ReadonlyMap<string, readonly PodFact[]>> {
    const wanted = new Set(nodes);
    for (const node of this.#wantedSince.keys()) if (!wanted.has(node)) this.#forget(node);
    for (const node of nodes) this.#wantedSince.set(node, this.#wantedSince.get(node) ?? now);
    this.#sentAt = this.#sentAt.filter((at) => now - at < windowMs);
    const listedAt = (node: string) => this.#lists.get(node)?.at ?? Number.NEGATIVE_INFINITY;
    const due = nodes
      .filter((node) => now - listedAt(node) >= podAgeMs)
      .toSorted((left, right) => listedAt(left) - listedAt(right))
      .slice(0, mostLists - this.#sentAt.length);
    if (due.length > 0 && this.#retries.mayRead(now)) await this.#list(due, context, now);
    return new Map([...this.#lists].map(([node, { pods }]) => [node, pods]));
  }

  async #list(nodes: readonly string[], context: Omit<DrainedPodsContext, "now">, now: number): Promise<void> {
    let refusal: Refusal | undefined;
    await inLanes(nodes, async (node) => {
      if (refusal !== undefined) return;
      this.#sentAt = [...this.#sentAt, now];
      const listed = await listPods(podResource, node, context);
      if ("reason" in listed) refusal = listed;
      else this.#lists.set(node, { pods: listed.pods, at: now });
    });
    this.#retries.note(refusal, now);
  }

  #forget(node: string): void {
    this.#wantedSince.delete(node);
    this.#lists.delete(node);
  }

  /** Returns why the pods of these nodes are not all known. Undefined: they are, or they have been missing for less than a minute. */
  refusalFor(nodes: readonly string[], now: number): Refusal | undefined {
    const { refusal } = this.#retries;
    if (refusal !== undefined && refusal.reason !== "Listing") return refusal;
    const isMissing = (node: string) =>
      !this.#lists.has(node) && now - (this.#wantedSince.get(node) ?? now) >= this.#patienceMs;
    const message = `pods are listed for at most ${mostLists} nodes per minute`;
    return nodes.some(isMissing) ? { reason: "TooMany", message } : undefined;
  }

  /** When the next list of these nodes is due, monotonic; undefined: none of them needs one. */
  dueAt(nodes: readonly string[]): number | undefined {
    if (nodes.length === 0) return undefined;
    const { refusal } = this.#retries;
    if (refusal !== undefined && refusal.reason !== "Listing") return this.#retries.dueAt;
    const oldest = Math.min(...nodes.map((node) => this.#lists.get(node)?.at ?? 0));
    const [firstSent = 0, lastSent = firstSent] = [this.#sentAt[0], this.#sentAt.at(-1)];
    const limitedMs = this.#sentAt.length < mostLists ? 0 : firstSent + windowMs;
    return Math.max(oldest + podAgeMs, limitedMs, refusal === undefined ? 0 : lastSent + podAgeMs);
  }
}
