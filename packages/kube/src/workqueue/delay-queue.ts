// Stores one due time per key. If a key is added twice, the earlier time applies.

type Entry = { readonly key: string; readonly at: number; readonly arrival: number };

export class DelayQueue {
  readonly #due = new Map<string, number>();
  // A binary heap. An entry is stale if its key now has a different due time.
  readonly #heap: Entry[] = [];
  #arrivals = 0;

  /** Has no effect if the key is due earlier. */
  set(key: string, at: number): void {
    const known = this.#due.get(key);
    if (known !== undefined && known <= at) return;
    this.#due.set(key, at);
    this.#heap.push({ key, at, arrival: this.#arrivals++ });
    this.#rise(this.#heap.length - 1);
  }

  get next(): number | undefined {
    this.#dropStale();
    return this.#heap[0]?.at;
  }

  take(now: number): readonly string[] {
    const keys: string[] = [];
    for (let at = this.next; at !== undefined && at <= now; at = this.next) {
      const [{ key } = { key: "" }] = this.#heap;
      this.#due.delete(key);
      keys.push(key);
    }
    return keys;
  }

  clear(): void {
    this.#due.clear();
    this.#heap.length = 0;
  }

  #dropStale(): void {
    for (let top = this.#heap[0]; top !== undefined && this.#due.get(top.key) !== top.at; top = this.#heap[0]) {
      const last = this.#heap.pop();
      if (last === undefined || this.#heap.length === 0) return;
      this.#heap[0] = last;
      this.#sink(0);
    }
  }

  #rise(place: number): void {
    for (let child = place; child > 0; ) {
      const parent = (child - 1) >> 1;
      if (!this.#isEarlier(child, parent)) return;
      this.#swap(child, parent);
      child = parent;
    }
  }

  #sink(place: number): void {
    for (let parent = place; ; ) {
      const left = 2 * parent + 1;
      const child = this.#isEarlier(left + 1, left) ? left + 1 : left;
      if (!this.#isEarlier(child, parent)) return;
      this.#swap(child, parent);
      parent = child;
    }
  }

  #isEarlier(one: number, other: number): boolean {
    const [a, b] = [this.#heap[one], this.#heap[other]];
    if (a === undefined || b === undefined) return false;
    return a.at === b.at ? a.arrival < b.arrival : a.at < b.at;
  }

  #swap(one: number, other: number): void {
    const [a, b] = [this.#heap[one], this.#heap[other]];
    if (a === undefined || b === undefined) return;
    this.#heap[one] = b;
    this.#heap[other] = a;
  }
}
