// How many events may be written about one subject.

import { type Bucket, fullBucket, isFull, take } from "@virt/engine";
import type { Announcement } from "./event-object.ts";

const rate = { capacity: 25, refillMs: 300_000 };
const fewest = 256;

export class EventAllowance {
  readonly #buckets = new Map<string, Bucket>();
  #tidyAt = fewest;

  /** Each write costs a token of its subject, when it is announced. False: there is none. */
  pay(announcement: Announcement, now: number): boolean {
    const subject = subjectOf(announcement);
    const { granted, bucket } = take(this.#buckets.get(subject) ?? fullBucket, rate, now);
    if (!granted) return false;
    this.#buckets.set(subject, bucket);
    if (this.#buckets.size >= this.#tidyAt) this.#tidy(now);
    return true;
  }

  // Twice as many must come before all are looked at again.
  #tidy(now: number): void {
    for (const [subject, bucket] of this.#buckets) if (isFull(bucket, now)) this.#buckets.delete(subject);
    this.#tidyAt = Math.max(fewest, 2 * this.#buckets.size);
  }
}

// An object of which all events speak would use up its bucket: what they relate to counts too.
function subjectOf({ regarding, related }: Announcement): string {
  const nameOf = ({ uid, apiVersion, kind, namespace = "", name }: Announcement["regarding"]) =>
    uid ?? `${apiVersion}/${kind}/${namespace}/${name}`;
  return related === undefined ? nameOf(regarding) : `${nameOf(regarding)} ${nameOf(related)}`;
}
