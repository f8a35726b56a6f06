// Writes events in the background. Recording never waits, and a lost event fails nothing.

import type { GuardedClient } from "../circuitbreaker/guarded-client.ts";
import type { Writer } from "../client/client.ts";
import { type WriteResult, writeResultOf } from "../client/outcome.ts";
import type { WriteRequest } from "../client/request.ts";
import { type Cancel, type Clock, sleep } from "../clock.ts";
import { createEvent, type EventInput, type EventSource, eventName, raiseSeries, readEvent } from "./event-object.ts";
import { type EventLossReason, EventSeries, type EventWrite, type SeriesInput } from "./event-series.ts";

/** Is called for each event that was written or lost, never for one that only waits. */
export type EventObserver = {
  /** Created, or its series was raised. */
  readonly written: () => void;
  readonly lost: (why: EventLossReason, event: EventInput, message: string) => void;
};

export type EventRecorderOptions = {
  /**
   * Past the breakers, under a name of its own: an outage costs no tries but the trials. Under the fence of the controller
   * that reports: what it keeps back is sent when we lead again.
   */
  readonly client: GuardedClient<Writer>;
  readonly clock: Clock;
  readonly reporter: EventSource;
  readonly observer: EventObserver;
  /** A series is raised at most once in this time; 60 s is usual. */
  readonly repeatMs: number;
};

const flushMs = 2_000;

/**
 * An event is an event: record changes of state, never reconciles. The same one again raises the count of its series.
 * What another process recorded before is not recorded again.
 */
export class EventRecorder {
  readonly #parts: EventRecorderOptions;
  readonly #ending = new AbortController();
  readonly #series: EventSeries;
  #timer: Cancel | undefined;
  #onAllWritten: () => void = () => undefined;

  constructor(parts: EventRecorderOptions) {
    this.#parts = parts;
    this.#series = new EventSeries(parts.repeatMs, (one) => eventName(parts.reporter.namePrefix, one));
  }

  recordEvent(event: EventInput): void {
    if (this.#ending.signal.aborted) return this.#parts.observer.lost("stopped", event, "process is shutting down");
    this.#input({ is: "recorded", event });
  }

  /** Sends what has not been sent, for 2 s at most; the signal makes the end come at once. What is left is lost. */
  async stop(signal: AbortSignal): Promise<void> {
    this.#input({ is: "stopping" });
    const over = new AbortController();
    this.#onAllWritten = () => over.abort();
    signal.addEventListener("abort", this.#onAllWritten, { once: true });
    if (!this.#series.isAllWritten && !signal.aborted) await sleep(this.#parts.clock, flushMs, over.signal);
    signal.removeEventListener("abort", this.#onAllWritten);
    this.#ending.abort(new Error("process is shutting down"));
    this.#timer?.();
    this.#parts.client.withdraw();
    for (const left of this.#series.unsent)
      this.#parts.observer.lost("stopped", left, "shutdown ended before it was sent");
  }

  #input(input: SeriesInput): void {
    if (this.#ending.signal.aborted) return;
    const { clock, observer } = this.#parts;
    const now = { monotonicMs: clock.monotonic(), wallMs: clock.wall() };
    const actions = this.#series.step(input, now);
    this.#timer?.();
    this.#timer = undefined;
    for (const action of actions) {
      if (action.do === "lose") observer.lost(action.why, action.event, action.message);
      else if (action.do === "wait") this.#timer = clock.schedule(action.ms, () => this.#input({ is: "due" }));
      else void this.#send(action);
    }
    // Whoever is woken may hold the only trial of a breaker, and must not keep it for nothing.
    if (input.is === "woken" && !this.#series.isBusy) this.#parts.client.withdraw();
    if (this.#series.isAllWritten) this.#onAllWritten();
  }

  async #send(write: EventWrite): Promise<void> {
    const call = this.#parts.client.begin();
    const writing = await this.#ask(call.sender, requestOf(write, this.#parts.reporter));
    if (writing.kind === "done" && write.do !== "read") this.#parts.observer.written();
    const isParked = writing.kind === "unavailable" && call.park(() => this.#input({ is: "woken" }));
    if (!isParked) call.end();
    this.#input({ is: "answered", writing, isParked });
    if (this.#ending.signal.aborted) this.#parts.client.withdraw();
  }

  async #ask(sender: Writer, request: WriteRequest): Promise<WriteResult> {
    try {
      return writeResultOf(await sender.write(request, { signal: this.#ending.signal }));
    } catch (error) {
      return { kind: "rejected", reason: "Thrown", message: error instanceof Error ? error.message : String(error) };
    }
  }
}

function requestOf(write: EventWrite, reporter: EventSource): WriteRequest {
  switch (write.do) {
    case "create":
      return createEvent(write, reporter);
    case "read":
      return readEvent(write.name, write.input);
    case "raise":
      return raiseSeries(write, write.count);
  }
}
