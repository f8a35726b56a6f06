// The store of one informer: items by key, handlers of changes, and the resource version.

import { reaches, type WatchItem } from "@virt/objects";

/** A change. `before` is absent if the item was added, and `after` if it was removed. */
export type StoreChange<T> = { readonly key: string; readonly before?: T; readonly after?: T };

export type StoreHandler<T> = (change: StoreChange<T>) => void;

export type StoreOptions<T> = {
  /** Compares two states of an item. Handlers are not called for equal states. */
  readonly isEqual: (before: T, after: T) => boolean;
  /** Receives the error of a handler that throws. The other handlers still run. */
  readonly onHandlerError: (error: unknown) => void;
  readonly bytesOf: (item: T) => number;
  /** Called when the first list is complete, and when the first list after a `clear` is. */
  readonly onSynced?: () => void;
};

export class Store<T> {
  readonly #settings: StoreOptions<T>;
  readonly #handlers = new Set<StoreHandler<T>>();
  #items = new Map<string, T>();
  #collected = new Map<string, T>();
  #bytes = 0;
  #collectedBytes = 0;
  #notified: readonly T[] | undefined;
  #version: string | undefined;
  #waiting: { readonly version: string; readonly arrive: () => void }[] = [];
  #isClosed = false;

  constructor(settings: StoreOptions<T>) {
    this.#settings = settings;
  }

  /** False until the first list is complete. Until then, an item that is missing here may exist. */
  get isSynced(): boolean {
    return this.#version !== undefined;
  }

  /** The latest resource version that the store is known to contain. */
  get version(): string | undefined {
    return this.#version;
  }

  get(key: string): T | undefined {
    return this.#items.get(key);
  }

  get size(): number {
    return this.#items.size;
  }

  /** The memory of the items, or that of an unfinished list if it is larger. */
  get bytes(): number {
    return Math.max(this.#bytes, this.#collectedBytes);
  }

  /** The namespace whose items take most of `bytes`. Undefined if no item has a namespace. Slow: measures all items. */
  get largestNamespace(): { readonly name: string; readonly bytes: number } | undefined {
    const items = this.#collectedBytes > this.#bytes ? this.#collected : this.#items;
    const sums = new Map<string, number>();
    for (const [key, item] of items) {
      const [namespace, name] = key.split("/");
      if (namespace === undefined || name === undefined) continue;
      sums.set(namespace, (sums.get(namespace) ?? 0) + this.#settings.bytesOf(item));
    }
    const [most] = [...sums].toSorted(([, left], [, right]) => right - left);
    return most && { name: most[0], bytes: most[1] };
  }

  items(): Iterable<T> {
    return this.#items.values();
  }

  keys(): Iterable<string> {
    return this.#items.keys();
  }

  /**
   * All items, as handlers last saw them. The array stays the same until an item really changes, so resource versions
   * may be old.
   */
  get notifiedItems(): readonly T[] {
    this.#notified ??= [...this.#items.values()];
    return this.#notified;
  }

  /** Handlers run synchronously, in the order of their subscription. Returns the function to unsubscribe. */
  subscribe(handler: StoreHandler<T>): () => void {
    this.#handlers.add(handler);
    return () => void this.#handlers.delete(handler);
  }

  /** Resolves when the store contains the write with this version, when it is closed, or when the signal is aborted. */
  async contains(version: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#isClosed || (this.#version !== undefined && reaches(this.#version, version))) return;
    const waiter = { version, arrive: () => {} };
    await new Promise<void>((resolve) => {
      waiter.arrive = resolve;
      this.#waiting.push(waiter);
      signal.addEventListener("abort", waiter.arrive, { once: true });
    });
    signal.removeEventListener("abort", waiter.arrive);
    this.#waiting = this.#waiting.filter((one) => one !== waiter);
  }

  /** Starts a new list, and drops the items of an unfinished one. */
  begin(): void {
    this.#collected = new Map();
    this.#collectedBytes = 0;
  }

  collect(frame: WatchItem<T>): void {
    this.#collectedBytes -= this.#bytesAt(this.#collected, frame.key);
    if (frame.type === "drop") this.#collected.delete(frame.key);
    else {
      this.#collected.set(frame.key, frame.item);
      this.#collectedBytes += this.#settings.bytesOf(frame.item);
    }
  }

  swap(version: string): void {
    const isFirst = !this.isSynced;
    const before = this.#items;
    this.#items = this.#collected;
    this.#bytes = this.#collectedBytes;
    this.begin();
    this.advance(version);
    for (const [key, item] of before) if (!this.#items.has(key)) this.#notify({ key, before: item });
    for (const [key, item] of this.#items) this.#compare(key, before.get(key), item);
    if (isFirst) this.#settings.onSynced?.();
  }

  change({ type, key, version, item }: WatchItem<T>): void {
    const before = this.#items.get(key);
    this.advance(version);
    this.#bytes -= this.#bytesAt(this.#items, key);
    if (type === "put") {
      this.#items.set(key, item);
      this.#bytes += this.#settings.bytesOf(item);
      this.#compare(key, before, item);
    } else if (before !== undefined) {
      this.#items.delete(key);
      this.#notify({ key, before });
    }
  }

  advance(version: string): void {
    this.#version = version;
    for (const { version: wanted, arrive } of this.#waiting) if (reaches(version, wanted)) arrive();
  }

  /** Removes all items, because the kind is gone or its state is unknown. */
  clear(): void {
    const before = this.#items;
    this.#items = new Map();
    this.#bytes = 0;
    this.begin();
    this.#version = undefined;
    for (const [key, item] of before) this.#notify({ key, before: item });
  }

  /** Ends all waits. The store no longer changes. */
  close(): void {
    this.#isClosed = true;
    for (const { arrive } of this.#waiting) arrive();
  }

  #bytesAt(items: ReadonlyMap<string, T>, key: string): number {
    const item = items.get(key);
    return item === undefined ? 0 : this.#settings.bytesOf(item);
  }

  #compare(key: string, before: T | undefined, after: T): void {
    if (before === undefined) this.#notify({ key, after });
    else if (!this.#settings.isEqual(before, after)) this.#notify({ key, before, after });
  }

  #notify(change: StoreChange<T>): void {
    this.#notified = undefined;
    for (const handler of this.#handlers) {
      try {
        handler(change);
      } catch (error) {
        this.#settings.onHandlerError(error);
      }
    }
  }
}
