// Writes events in the background. Whoever announces one never waits for it, and a lost one fails nothing.

import type { Line } from "../breaker/line.ts";
import { type Cancel, type Clock, sleep } from "../clock.ts";
import type { Sender } from "../wire/client.ts";
import { type Writing, writingOf } from "../wire/outcome.ts";
import type { ApiRequest } from "../wire/request.ts";
import type { EventWrite } from "./event-entry.ts";
import { type Announcement, createEvent, eventName, type Reporter, raiseSeries, readEvent } from "./event-object.ts";
import { EventSeries, type Loss, type SeriesInput } from "./event-series.ts";

export type EventObserver = {
  /** Created, or its series was raised. */
  readonly written: () => void;
  readonly lost: (why: Loss, announcement: Announcement, message: string) => void;
};

export type EventParts = {
  /** Past the breakers, under a name of its own: an outage costs no tries but the trials. */
  readonly line: Line;
  readonly clock: Clock;
  readonly reporter: Reporter;
  /** The fence of the controller that reports: what it keeps back is sent when we lead again. */
  readonly mayWrite: () => boolean;
  readonly observer: EventObserver;
  /** A series is raised at most once in this time; 60 s is usual. */
  readonly repeatMs: number;
};

const flushMs = 2_000;

/**
 * An announcement is an event: announce changes of state, never passes. The same one again raises the count of its series.
 * What another process announced before us is not announced again.
 */
export class EventRecorder {
  readonly #parts: EventParts;
  readonly #ending = new AbortController();
  readonly #series: EventSeries;
  #timer: Cancel | undefined;
  #onSaid: () => void = () => undefined;

  constructor(parts: EventParts) {
    this.#parts = parts;
    this.#series = new EventSeries(parts.repeatMs);
  }

  announce(announcement: Announcement): void {
    if (this.#ending.signal.aborted) return this.#parts.observer.lost("stopped", announcement, "the process stops");
    const name = eventName(this.#parts.reporter.namePrefix, announcement);
    this.#input({ is: "announced", name, announcement });
  }

  /** Sends what has not been sent, for 2 s at most; the signal makes the end come at once. What is left is lost. */
  async stop(signal: AbortSignal): Promise<void> {
    this.#input({ is: "stopping" });
    const over = new AbortController();
    this.#onSaid = () => over.abort();
    signal.addEventListener("abort", this.#onSaid, { once: true });
    if (!this.#series.isAllSaid && !signal.aborted) await sleep(this.#parts.clock, flushMs, over.signal);
    signal.removeEventListener("abort", this.#onSaid);
    this.#ending.abort(new Error("the process stops"));
    this.#timer?.();
    this.#parts.line.withdraw();
    for (const left of this.#series.unsent) this.#parts.observer.lost("stopped", left, "no time was left to send it");
  }

  #input(input: SeriesInput): void {
    if (this.#ending.signal.aborted) return;
    const { clock, observer } = this.#parts;
    const now = { monotonicMs: clock.monotonic(), wallMs: clock.wall() };
    const actions = this.#series.step(input, now);
    this.#timer?.();
    this.#timer = undefined;
    for (const action of actions) {
      if (action.do === "lose") observer.lost(action.why, action.announcement, action.message);
      else if (action.do === "wait") this.#timer = clock.schedule(action.ms, () => this.#input({ is: "due" }));
      else void this.#send(action);
    }
    // Whoever is woken may hold the only trial of a breaker, and must not keep it for nothing.
    if (input.is === "woken" && !this.#series.isBusy) this.#parts.line.withdraw();
    if (this.#series.isAllSaid) this.#onSaid();
  }

  async #send(write: EventWrite): Promise<void> {
    const call = this.#parts.line.begin();
    const writing = await this.#ask(call.sender, requestOf(write, this.#parts.reporter));
    if (writing.kind === "done" && write.do !== "read") this.#parts.observer.written();
    const isParked = writing.kind === "unavailable" && call.park(() => this.#input({ is: "woken" }));
    if (!isParked) call.end();
    this.#input({ is: "answered", writing, isParked });
    if (this.#ending.signal.aborted) this.#parts.line.withdraw();
  }

  async #ask(sender: Sender, request: ApiRequest): Promise<Writing> {
    try {
      return writingOf(await sender.send(request, { signal: this.#ending.signal, mayWrite: this.#parts.mayWrite }));
    } catch (error) {
      return { kind: "rejected", reason: "Thrown", message: error instanceof Error ? error.message : String(error) };
    }
  }
}

function requestOf(write: EventWrite, reporter: Reporter): ApiRequest {
  switch (write.do) {
    case "create":
      return createEvent(write, reporter);
    case "read":
      return readEvent(write.name, write.announcement);
    case "raise":
      return raiseSeries(write, write.count);
  }
}
