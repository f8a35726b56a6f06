// A model of an event server and an unreliable network for testing `EventSeries`.

import type { KubeObject, WriteResult } from "@virt/objects";
import type { EventInput } from "../events/event-correlator.ts";
import {
  type EventLossReason,
  EventSeries,
  type EventWrite,
  type SeriesAction,
  type SeriesInput,
} from "../events/event-series.ts";

export const repeatMs = 60_000;
export const refillMs = 300_000;
export const importantRefillMs = 30_000;

type RecordedWrite = {
  readonly name: string;
  readonly subject: string;
  readonly at: number;
  readonly do: EventWrite["do"];
};

/** A note that starts with `!` is important. The text before a colon is the reason. */
function eventOf(subject: string, note: string): EventInput {
  return {
    priority: note.startsWith("!") ? "important" : "routine",
    regarding: { apiVersion: "v1", kind: "K", name: subject },
    type: "Normal",
    reason: note.includes(":") ? note.slice(0, note.indexOf(":")) : "R",
    action: "A",
    note,
  };
}

/** Returns `subject/note`, or `subject/reason combined` for combined events. */
function nameOf(event: EventInput): string {
  const { regarding, reason, note, action } = event;
  return action === "A" ? `${regarding.name}/${note}` : `${regarding.name}/${reason} combined`;
}

export class EventHarness {
  readonly server = new Map<string, number>();
  readonly written: RecordedWrite[] = [];
  readonly lost: EventLossReason[] = [];
  readonly dropped: string[] = [];
  readonly accepted = new Map<string, number>();
  now = 0;
  isDown = false;
  /** True if the circuit breaker is open. */
  isParking = false;
  pending: EventWrite | undefined;
  #series = new EventSeries(repeatMs, nameOf);
  #dueAt = Number.POSITIVE_INFINITY;

  announce(subject: string, note: string): void {
    const before = this.lost.length;
    this.#input({ is: "recorded", event: eventOf(subject, note) });
    const name = `${subject}/${note}`;
    if (this.lost.length === before) this.accepted.set(name, (this.accepted.get(name) ?? 0) + 1);
  }

  /** Completes the write in flight. With `isDeaf`, the server applies it but the response is lost. */
  answer(isDeaf = false): void {
    const write = this.pending;
    if (write === undefined) return;
    this.pending = undefined;
    const writing: WriteResult = this.isDown ? unavailable : this.#serve(write);
    const isHeard = writing.kind === "done" && write.do !== "read" && !isDeaf;
    const { name, input } = write;
    if (isHeard) this.written.push({ name, subject: input.regarding.name, at: this.now, do: write.do });
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
    this.#series = new EventSeries(repeatMs, nameOf);
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

  #serve(write: EventWrite): WriteResult {
    const { name } = write;
    const known = this.server.get(name);
    if (write.do === "create" && known !== undefined) return { kind: "stale" };
    if (write.do !== "create" && known === undefined) return { kind: "absent" };
    const count = write.do === "raise" ? write.count : (known ?? 1);
    this.server.set(name, count);
    return { kind: "done", live: { ...(count > 1 && { series: { count } }) } as unknown as KubeObject };
  }

  #lose({ why, event }: Extract<SeriesAction, { do: "lose" }>): void {
    this.lost.push(why);
    if (why === "throttled" || why === "overflow") this.dropped.push(event.note);
  }

  #input(input: SeriesInput): void {
    const actions = this.#series.step(input, { monotonicMs: this.now, wallMs: this.now });
    this.#dueAt = Number.POSITIVE_INFINITY;
    for (const action of actions) {
      if (action.do === "lose") this.#lose(action);
      else if (action.do === "wait") this.#dueAt = this.now + action.ms;
      else if (this.pending === undefined) this.pending = action;
      else throw new Error("two writes at a time");
    }
  }
}

const unavailable: WriteResult = { kind: "unavailable", message: "down" };

export function eventAbout(harness: EventHarness, subject: string, notes: readonly string[]): void {
  for (const note of notes) {
    harness.announce(subject, note);
    harness.answer();
  }
}
