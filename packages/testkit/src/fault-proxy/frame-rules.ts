// What happens to the frames of watch streams: which ones wait, vanish or come twice.

import { setTimeout as wait } from "node:timers/promises";
import type { Call } from "./call.ts";
import type { FrameMatcher, Treatment } from "./plan.ts";

/** How often the frame is sent, and what must be over before. */
export type Passage = { readonly copies: 0 | 1 | 2; readonly after?: Promise<void> };

type Rule = {
  readonly of: FrameMatcher;
  readonly treatment: Treatment;
  readonly released: PromiseWithResolvers<void>;
  left: number;
};

export class FrameRules {
  readonly #rules = new Set<Rule>();

  add(of: FrameMatcher, treatment: Treatment): void {
    const left = "count" in treatment ? treatment.count : Number.POSITIVE_INFINITY;
    const rule = { of, treatment, left, released: Promise.withResolvers<void>() };
    this.#rules.add(rule);
    const { forMs } = { forMs: undefined, ...treatment };
    if (forMs !== undefined) setTimeout(() => this.#release(rule), forMs).unref();
  }

  /** Forgets all rules and lets go what is held. */
  clear(): void {
    for (const rule of this.#rules) this.#release(rule);
  }

  passageOf(call: Call, line: Buffer): Passage {
    const rule = [...this.#rules].find(({ of, left }) => left > 0 && isOf(of, call, line));
    if (rule === undefined) return { copies: 1 };
    rule.left--;
    switch (rule.treatment.do) {
      case "hold":
        return { copies: 1, after: rule.released.promise };
      case "delay":
        return { copies: 1, after: wait(rule.treatment.ms) };
      case "drop":
        return { copies: 0 };
      case "duplicate":
        return { copies: 2 };
    }
  }

  #release(rule: Rule): void {
    this.#rules.delete(rule);
    rule.released.resolve();
  }
}

function isOf({ resource, namespace, name }: FrameMatcher, call: Call, line: Buffer): boolean {
  if (resource !== undefined && resource !== call.resource) return false;
  if (name === undefined && namespace === undefined) return true;
  const { object } = JSON.parse(line.toString()) as { object?: { metadata?: { namespace?: string; name?: string } } };
  const { metadata = {} } = object ?? {};
  return (
    (name === undefined || metadata.name === name) && (namespace === undefined || metadata.namespace === namespace)
  );
}
