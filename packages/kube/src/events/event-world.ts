// A model of a server that keeps events, and of a bad network, to play histories against our decisions. For tests only.

import type { KubeObject } from "@virt/engine";
import type { Writing } from "../wire/outcome.ts";
import type { EventWrite } from "./event-entry.ts";
import type { Announcement } from "./event-object.ts";
import { EventSeries, type Loss, type SeriesInput } from "./event-series.ts";

export const repeatMs = 60_000;
export const refillMs = 300_000;

type Told = { readonly name: string; readonly subject: string; readonly at: number; readonly do: EventWrite["do"] };

/** A server that keeps events, a network that fails, and the decisions between them. */
export class EventWorld {
  readonly server = new Map<string, number>();
  readonly told: Told[] = [];
  readonly lost: Loss[] = [];
  readonly accepted = new Map<string, number>();
  now = 0;
  isDown = false;
  /** While down, a breaker is open. */
  isParking = false;
  pending: EventWrite | undefined;
  #series = new EventSeries(repeatMs);
  #dueAt = Number.POSITIVE_INFINITY;

  announce(subject: string, note: string): void {
    const announcement: Announcement = {
      regarding: { apiVersion: "v1", kind: "K", name: subject },
      type: "Normal",
      reason: "R",
      action: "A",
      note,
    };
    const name = `${subject}/${note}`;
    const before = this.lost.length;
    this.#input({ is: "announced", name, announcement });
    if (this.lost.length === before) this.accepted.set(name, (this.accepted.get(name) ?? 0) + 1);
  }

  /** The answer to what is on its way; with `isDeaf` the server does its part, but we never hear of it. */
  answer(isDeaf = false): void {
    const write = this.pending;
    if (write === undefined) return;
    this.pending = undefined;
    const writing: Writing = this.isDown ? unavailable : this.#serve(write);
    const isHeard = writing.kind === "done" && write.do !== "read" && !isDeaf;
    const { name, announcement } = write;
    if (isHeard) this.told.push({ name, subject: announcement.regarding.name, at: this.now, do: write.do });
    const heard = isDeaf ? unavailable : writing;
    this.#input({ is: "answered", writing: heard, isParked: this.isParking && heard.kind === "unavailable" });
  }

  refuse(): void {
    if (this.pending === undefined) return;
    this.pending = undefined;
    const writing = { kind: "rejected", reason: "Forbidden", message: "you may not" } as const;
    this.#input({ is: "answered", writing, isParked: false });
  }

  elapse(ms: number): void {
    const until = this.now + ms;
    while (this.#dueAt <= until && this.pending === undefined) {
      this.now = Math.max(this.now, this.#dueAt);
      this.#input({ is: "due" });
      while (this.pending !== undefined && !this.isDown) this.answer();
    }
    this.now = until;
  }

  restart(): void {
    this.#series = new EventSeries(repeatMs);
    this.pending = undefined;
    this.#dueAt = Number.POSITIVE_INFINITY;
  }

  wake(): void {
    this.#input({ is: "woken" });
  }

  heal(): void {
    this.isDown = false;
    this.isParking = false;
    this.wake();
    while (this.pending !== undefined) this.answer();
    this.elapse(10 * repeatMs);
  }

  stop(): void {
    this.#input({ is: "stopping" });
  }

  get isAtRest(): boolean {
    return this.pending === undefined && this.#dueAt === Number.POSITIVE_INFINITY;
  }

  get size(): number {
    return this.#series.size;
  }

  #serve(write: EventWrite): Writing {
    const { name } = write;
    const known = this.server.get(name);
    if (write.do === "create" && known !== undefined) return { kind: "stale" };
    if (write.do !== "create" && known === undefined) return { kind: "absent" };
    const count = write.do === "raise" ? write.count : (known ?? 1);
    this.server.set(name, count);
    return { kind: "done", live: { ...(count > 1 && { series: { count } }) } as unknown as KubeObject };
  }

  #input(input: SeriesInput): void {
    const actions = this.#series.step(input, { monotonicMs: this.now, wallMs: this.now });
    this.#dueAt = Number.POSITIVE_INFINITY;
    for (const action of actions) {
      if (action.do === "lose") this.lost.push(action.why);
      else if (action.do === "wait") this.#dueAt = this.now + action.ms;
      else if (this.pending === undefined) this.pending = action;
      else throw new Error("two writes at a time");
    }
  }
}

const unavailable: Writing = { kind: "unavailable", message: "down" };

/** Announces and is answered at once. */
export function say(world: EventWorld, subject: string, notes: readonly string[]): void {
  for (const note of notes) {
    world.announce(subject, note);
    world.answer();
  }
}
