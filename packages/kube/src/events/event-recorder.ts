// Writes events in the background. Recording never blocks, and a lost event causes no error.

import type { Breakers } from "../circuitbreaker/breaker.ts";
import { guardClient } from "../circuitbreaker/guarded-client.ts";
import type { ApiWriter } from "../client/api-client.ts";
import { type WriteResult, writeResultOf } from "../client/outcome.ts";
import type { WriteRequest } from "../client/request.ts";
import { type Cancel, type Clock, sleep } from "../clock.ts";
import { createEvent, type EventInput, type EventSource, eventName, raiseSeries, readEvent } from "./event-object.ts";
import { type EventLossReason, EventSeries, type EventWrite, type SeriesInput } from "./event-series.ts";

/** Receives the result of each event. Not called for pending events. */
export type EventObserver = {
  readonly written: () => void;
  readonly lost: (why: EventLossReason, event: EventInput, message: string) => void;
};

export type EventRecorderOptions = {
  /** Bound to the controller's lease, so that events wait until this process is the leader again. */
  readonly client: ApiWriter;
  readonly breakers: Breakers;
  /** The name under which events wait for a circuit breaker. Unique in the process. */
  readonly caller: string;
  readonly clock: Clock;
  readonly reporter: EventSource;
  readonly observer: EventObserver;
  /** The minimum time between two updates of a series, typically 60 s. */
  readonly repeatMs: number;
};

const flushMs = 2_000;

/** Records changes of state, not every reconcile. Repeated events update a series, even across processes. */
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

  /** Sends pending events for at most 2 s, or until the signal is aborted. Reports the rest as lost. */
  async stop(signal: AbortSignal): Promise<void> {
    this.#input({ is: "stopping" });
    const over = new AbortController();
    this.#onAllWritten = () => over.abort();
    signal.addEventListener("abort", this.#onAllWritten, { once: true });
    if (!this.#series.isAllWritten && !signal.aborted) await sleep(this.#parts.clock, flushMs, over.signal);
    signal.removeEventListener("abort", this.#onAllWritten);
    this.#ending.abort(new Error("process is shutting down"));
    this.#timer?.();
    this.#withdraw();
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
    // Releases the probe of a circuit if there is nothing to send, because this caller may hold the only one.
    if (input.is === "woken" && !this.#series.isBusy) this.#withdraw();
    if (this.#series.isAllWritten) this.#onAllWritten();
  }

  async #send(write: EventWrite): Promise<void> {
    const { client, breakers, caller } = this.#parts;
    const attempt = breakers.begin(caller);
    const writing = await this.#ask(guardClient(client, attempt), requestOf(write, this.#parts.reporter));
    if (writing.kind === "done" && write.do !== "read") this.#parts.observer.written();
    const isParked = writing.kind === "unavailable" && attempt.park(() => this.#input({ is: "woken" }));
    if (!isParked) attempt.end();
    this.#input({ is: "answered", writing, isParked });
    if (this.#ending.signal.aborted) this.#withdraw();
  }

  #withdraw(): void {
    this.#parts.breakers.withdraw(this.#parts.caller);
  }

  async #ask(client: ApiWriter, request: WriteRequest): Promise<WriteResult> {
    try {
      return writeResultOf(await client.write(request, { signal: this.#ending.signal }));
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
