// Lists the pods of draining nodes: when a drain begins, and then every 10 seconds, up to a limit.

import type { PodFact } from "@virt/cluster";
import type { ApiReader, Resource } from "@virt/kube";
import { inLanes, listPods } from "./impact-reads.ts";
import { patienceMs, ReadRetries, type Refusal, type RetryOptions } from "./read-retries.ts";

const podResource: Resource = { group: "", version: "v1", plural: "pods", isNamespaced: true };
const podAgeMs = 10_000;
const windowMs = 60_000;
/** The maximum number of lists per window. If many nodes drain, their lists are refreshed less often. */
const mostLists = 20;

/** `now` is monotonic, in milliseconds. */
export type DrainedPodsContext = { readonly sender: ApiReader; readonly signal: AbortSignal; readonly now: number };

/** Caches pods by node. Keeps earlier lists if a later list fails. */
export class DrainedPods {
  readonly #lists = new Map<string, { readonly pods: readonly PodFact[]; readonly at: number }>();
  readonly #wantedSince = new Map<string, number>();
  readonly #retries: ReadRetries;
  readonly #patienceMs: number;
  #sentAt: readonly number[] = [];

  /** Set `isPatient` to false for a single read, so that a missing list is reported immediately. Default: true. */
  constructor({ isPatient = true }: Pick<RetryOptions, "isPatient"> = {}) {
    this.#retries = new ReadRetries({ isPatient, restsWhenRefused: true });
    this.#patienceMs = isPatient ? patienceMs : 0;
  }

  /** Lists the pods of nodes whose list is missing or older than 10 seconds. Forgets all other nodes. */
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

  /** Returns why pods on these nodes are unknown, or undefined if all are known, or have been missing for less than a minute. */
  refusalFor(nodes: readonly string[], now: number): Refusal | undefined {
    const { refusal } = this.#retries;
    if (refusal !== undefined && refusal.reason !== "Listing") return refusal;
    const isMissing = (node: string) =>
      !this.#lists.has(node) && now - (this.#wantedSince.get(node) ?? now) >= this.#patienceMs;
    const message = `pods are listed for at most ${mostLists} nodes per minute`;
    return nodes.some(isMissing) ? { reason: "TooMany", message } : undefined;
  }

  /**
   * Returns the time at which the next list of these nodes is due, in monotonic milliseconds. Undefined without nodes.
   */
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
