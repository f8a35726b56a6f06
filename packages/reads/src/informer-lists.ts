import type { KubeObject } from "@virt/api";
import { type Assessment, assessed, notAssessed } from "@virt/impact";
import type { InformerSpec, InformerState } from "@virt/kube";
import { patienceMs } from "./read-retries.ts";

/** Times are monotonic, in milliseconds. */
export class InformerLists {
  readonly #find: (spec: InformerSpec) => InformerState | undefined;
  readonly #failures = new Map<string, { readonly since: number; readonly isLasting: boolean }>();

  constructor(find: (spec: InformerSpec) => InformerState | undefined) {
    this.#find = find;
  }

  list(spec: InformerSpec, now: number): Assessment<readonly KubeObject[]> {
    const informer = this.#find(spec);
    const key = `${spec.apiVersion} ${spec.kind}`;
    const error = informer?.lastError;
    const isSettled = error === undefined || informer?.isTooLarge === true || error.startsWith("403");
    if (isSettled) this.#failures.delete(key);
    if (informer?.state === "not served") return notAssessed("NotServed");
    if (error === undefined)
      return informer?.state === "synced" ? assessed(informer.store.notifiedItems) : notAssessed("Listing");
    if (isSettled) return notAssessed(informer?.isTooLarge === true ? "TooMany" : "Forbidden", error);
    const since = this.#failures.get(key)?.since ?? now;
    const isLasting = now - since >= patienceMs;
    this.#failures.set(key, { since, isLasting });
    if (isLasting) return notAssessed("Unavailable", error);
    // The last list stays valid while the watch fails temporarily.
    return informer?.state === "synced" ? assessed(informer.store.notifiedItems) : notAssessed("Listing", error);
  }

  /** When the first recent error counts as permanent. Undefined if there is no recent error. */
  get patientUntil(): number | undefined {
    const recent = [...this.#failures.values()].filter(({ isLasting }) => !isLasting);
    return recent.length === 0 ? undefined : Math.min(...recent.map(({ since }) => since)) + patienceMs;
  }
}
