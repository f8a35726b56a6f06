// Writes events in the background. Recording never blocks, and a lost event causes no error.

import { cutText, type KubeObject, sha256, sleep, type WriteResult } from "@virt/objects";
import type { Breakers } from "../circuitbreaker/breaker.ts";
import { type ApiWriter, guardClient } from "../client/api-client.ts";
import { writeResultOf } from "../client/outcome.ts";
import { createObject, type ObjectPlace, patchObject, type Resource, type WriteRequest } from "../client/request.ts";
import { type Cancel, type Clock, microTime } from "../clock.ts";
import type { EventInput } from "./event-correlator.ts";
import { type EventLossReason, EventSeries, type EventWrite, type SeriesInput } from "./event-series.ts";

/** Receives the result of each event. Not called for pending events. */
export type EventObserver = {
  readonly written: () => void;
  readonly lost: (why: EventLossReason, event: EventInput, message: string) => void;
};

export type EventSource = {
  readonly controller: string;
  readonly instance: string;
  readonly namePrefix: string;
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

const events: Resource = { group: "events.k8s.io", version: "v1", plural: "events", isNamespaced: true };
/** The limits of the API server in bytes. */
const maxBytes = { note: 1024, action: 128, reason: 128, instance: 128 } as const;

/** Returns the same name in every process, so that a restart repeats no event. Re-created objects count as new. */
export function eventName(namePrefix: string, { regarding, reason, action, note }: EventInput): string {
  const { uid, apiVersion, kind, namespace = "", name } = regarding;
  const subject = uid === undefined ? [apiVersion, kind, namespace, name] : [uid];
  return namePrefix + sha256(JSON.stringify([subject, reason, action, note])).slice(0, 16);
}

export type NamedEvent = { readonly name: string; readonly input: EventInput; readonly wallMs: number };

export function createEvent({ name, input, wallMs }: NamedEvent, by: EventSource): WriteRequest {
  const { regarding, related, type, reason, action, note } = input;
  const { namespace } = placeOf(name, input);
  const object: KubeObject = {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    metadata: { name, namespace },
    eventTime: microTime(wallMs),
    regarding,
    ...(related && { related }),
    type,
    reason: cutText(reason, maxBytes.reason),
    action: cutText(action, maxBytes.action),
    note: cutText(note, maxBytes.note),
    reportingController: by.controller,
    reportingInstance: cutText(by.instance, maxBytes.instance),
  };
  return createObject(events, { namespace }, object);
}

/** Returns an empty patch. The response has the event, which the operator's role may patch but not get. */
function readEvent(name: string, event: EventInput): WriteRequest {
  return patchObject(events, placeOf(name, event), {}, { type: "merge" });
}

/** Sets the series count: the total number of occurrences, at least 2. */
export function raiseSeries({ name, input, wallMs }: NamedEvent, count: number): WriteRequest {
  const series = { count, lastObservedTime: microTime(wallMs) };
  return patchObject(events, placeOf(name, input), { series }, { type: "merge" });
}

// Events about cluster-scoped objects must be in the default namespace.
function placeOf(
  name: string,
  { regarding: { namespace = "default" } }: EventInput,
): ObjectPlace & { namespace: string } {
  return { namespace, name };
}
