// What a reflector knows of one kind: items by key, and who wants to hear about changes.

import { reaches } from "../wire/resource-version.ts";
import type { Item } from "./watch-frame.ts";

/** `before` is absent for what is new, `after` for what is gone. A removal carries the last state. */
export type Change<T> = { readonly key: string; readonly before?: T; readonly after?: T };

export type Handler<T> = (change: Change<T>) => void;

export type StoreSettings<T> = {
  /** An arrival that leaves the item equal is not told to anybody. */
  readonly isEqual: (before: T, after: T) => boolean;
  /** A handler that throws harms nobody else; what it threw ends here. */
  readonly onHandlerError: (error: unknown) => void;
  /** The first list is complete, or the first after a `clear`. */
  readonly onSynced?: () => void;
};

export class Store<T> {
  readonly #settings: StoreSettings<T>;
  readonly #handlers = new Set<Handler<T>>();
  #items = new Map<string, T>();
  #collected = new Map<string, T>();
  #told: readonly T[] | undefined;
  #version: string | undefined;
  #waiting: { readonly version: string; readonly arrive: () => void }[] = [];

  constructor(settings: StoreSettings<T>) {
    this.#settings = settings;
  }

  /** False until the first list is complete: absence of an item means nothing before that. */
  get isSynced(): boolean {
    return this.#version !== undefined;
  }

  /** The newest version that the store is known to contain. */
  get version(): string | undefined {
    return this.#version;
  }

  get(key: string): T | undefined {
    return this.#items.get(key);
  }

  get size(): number {
    return this.#items.size;
  }

  items(): Iterable<T> {
    return this.#items.values();
  }

  keys(): Iterable<string> {
    return this.#items.keys();
  }

  /** All items as they were last told: the same list until a change is told. Nobody is told of a version, so it may be old. */
  get told(): readonly T[] {
    this.#told ??= [...this.#items.values()];
    return this.#told;
  }

  /** Handlers run synchronously, in the order in which they came. Returns how to leave. */
  subscribe(handler: Handler<T>): () => void {
    this.#handlers.add(handler);
    return () => void this.#handlers.delete(handler);
  }

  /** Settles when the store contains the write that was answered with this version, or when the signal is aborted. */
  async contains(version: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted || (this.#version !== undefined && reaches(this.#version, version))) return;
    const arrival = Promise.withResolvers<void>();
    const waiter = { version, arrive: () => arrival.resolve() };
    this.#waiting.push(waiter);
    signal.addEventListener("abort", waiter.arrive, { once: true });
    await arrival.promise;
    signal.removeEventListener("abort", waiter.arrive);
    this.#waiting = this.#waiting.filter((one) => one !== waiter);
  }

  /** A new list begins; what an unfinished one brought is forgotten. */
  begin(): void {
    this.#collected = new Map();
  }

  collect(frame: Item<T>): void {
    if (frame.type === "drop") this.#collected.delete(frame.key);
    else this.#collected.set(frame.key, frame.item);
  }

  swap(version: string): void {
    const isFirst = !this.isSynced;
    const before = this.#items;
    this.#items = this.#collected;
    this.#collected = new Map();
    this.advance(version);
    for (const [key, item] of before) if (!this.#items.has(key)) this.#tell({ key, before: item });
    for (const [key, item] of this.#items) this.#compare(key, before.get(key), item);
    if (isFirst) this.#settings.onSynced?.();
  }

  change({ type, key, version, item }: Item<T>): void {
    const before = this.#items.get(key);
    this.advance(version);
    if (type === "put") {
      this.#items.set(key, item);
      this.#compare(key, before, item);
    } else if (before !== undefined) {
      this.#items.delete(key);
      this.#tell({ key, before });
    }
  }

  advance(version: string): void {
    this.#version = version;
    for (const { version: wanted, arrive } of this.#waiting) if (reaches(version, wanted)) arrive();
  }

  /** The kind is gone, and everything of it. */
  clear(): void {
    const before = this.#items;
    this.#items = new Map();
    this.#collected = new Map();
    this.#version = undefined;
    for (const [key, item] of before) this.#tell({ key, before: item });
  }

  #compare(key: string, before: T | undefined, after: T): void {
    if (before === undefined) this.#tell({ key, after });
    else if (!this.#settings.isEqual(before, after)) this.#tell({ key, before, after });
  }

  #tell(change: Change<T>): void {
    this.#told = undefined;
    for (const handler of this.#handlers) {
      try {
        handler(change);
      } catch (error) {
        this.#settings.onHandlerError(error);
      }
    }
  }
}
