// Traces reconciles for the debug log. At other log levels, there is no tracer.

import { type ApiWriter, observeRequests } from "../client/api-client.ts";
import { requestLine } from "../metrics/metrics.ts";
import type { ReconcileReport } from "./worker.ts";

/** Contains names, verbs, paths and codes, but no bodies or credentials. */
export type ReconcileTrace = Omit<ReconcileReport, "cause"> & {
  readonly triggers: readonly string[];
  readonly decisions: readonly string[];
  readonly requests: readonly string[];
};

type OpenTrace = { readonly triggers: string[]; readonly decisions: string[]; readonly requests: string[] };

/** Hundreds of changes can add the same key. */
const mostNamed = 10;

export class ReconcileTracer {
  readonly #report: (trace: ReconcileTrace) => void;
  readonly #waiting = new Map<string, string[]>();
  readonly #open = new Map<string, OpenTrace>();

  constructor(report: (trace: ReconcileTrace) => void) {
    this.#report = report;
  }

  triggered(key: string, trigger: string): void {
    const triggers = this.#waiting.get(key) ?? [];
    if (triggers.length < mostNamed && !triggers.includes(trigger)) triggers.push(trigger);
    this.#waiting.set(key, triggers);
  }

  /** The reconcile must use the client that is returned. */
  begin(key: string, client: ApiWriter): { readonly client: ApiWriter; readonly explain: (decision: string) => void } {
    const triggers = this.#waiting.get(key) ?? ["requeue"];
    this.#waiting.delete(key);
    const trace: OpenTrace = { triggers, decisions: [], requests: [] };
    this.#open.set(key, trace);
    const observed = observeRequests(client, (request, answer) => trace.requests.push(requestLine(request, answer)));
    return { client: observed, explain: (decision) => void trace.decisions.push(decision) };
  }

  ended({ key, outcome, durationMs }: ReconcileReport): void {
    const { triggers, decisions, requests } = this.#open.get(key) ?? { triggers: [], decisions: [], requests: [] };
    this.#open.delete(key);
    this.#report({ key, triggers, decisions, requests, outcome, durationMs });
  }
}
