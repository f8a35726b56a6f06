// Reads the Infrastructure where it has no informer.

import type { KubeObject } from "@virt/api";
import { infrastructureInformer } from "@virt/cluster";
import { type Assessment, assessed, notAssessed } from "@virt/impact";
import type { ClusterReader } from "@virt/kube";
import { ReadRetries, refusalOf } from "./read-retries.ts";

/** Times are monotonic, in milliseconds. A known Infrastructure stays valid while requests fail. */
export class InfrastructureRead {
  readonly #retries = new ReadRetries({ restsWhenRefused: true });
  readonly #ageMs: number;
  #known: { readonly list: Assessment<readonly KubeObject[]>; readonly atMs: number } | undefined;

  /** A read that is older than `ageMs` is repeated. Default: never. */
  constructor(ageMs = Number.POSITIVE_INFINITY) {
    this.#ageMs = ageMs;
  }

  /** Like the list of an informer. `Listing`: not read yet, or a temporary failure. */
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
