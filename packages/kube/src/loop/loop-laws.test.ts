import { VirtualClock } from "@virt/testkit";
import fc from "fast-check";
import { test } from "vitest";
import type { Attempt } from "../breaker/attempt.ts";
import { Breakers } from "../breaker/breaker.ts";
import type { Gate } from "../lease/fence.ts";
import type { Scope } from "../wire/request.ts";
import { Loop } from "./loop.ts";
import type { Ending } from "./pass.ts";
import { Queue } from "./queue.ts";

const pools: Scope = { access: "write", resource: "pools" };

type Plan = {
  readonly ms: number;
  readonly ending: "done" | "again" | "failed" | "throw" | "ask";
  /** Ends when told to, or only when it likes. */
  readonly isObedient: boolean;
};

class Turnstile implements Gate {
  #isOpen = true;
  readonly #listeners: ((isOpen: boolean) => void)[] = [];

  mayWrite(): boolean {
    return this.#isOpen;
  }

  subscribe(listener: (isOpen: boolean) => void): () => void {
    this.#listeners.push(listener);
    listener(this.#isOpen);
    return () => undefined;
  }

  turn(isOpen: boolean): void {
    if (this.#isOpen === isOpen) return;
    this.#isOpen = isOpen;
    for (const listener of this.#listeners) listener(isOpen);
  }
}

/** A loop whose passes go by plans, and everything that its promises are about. */
class Workshop {
  readonly clock = new VirtualClock();
  readonly gate = new Turnstile();
  readonly breakers = new Breakers({
    clock: this.clock,
    observer: { opened: () => undefined, closed: () => undefined },
  });
  readonly queue = new Queue({
    clock: this.clock,
    chance: () => 0.5,
    observer: { added: () => undefined, retried: () => undefined, taken: () => undefined, worked: () => undefined },
  });
  /** Added, and not yet looked at with success. */
  readonly owed = new Set<string>();
  readonly running = new Set<string>();
  readonly broken = new Set<string>();
  isDown = false;
  #plans: readonly Plan[];
  #passes = 0;

  constructor(plans: readonly Plan[]) {
    this.#plans = plans;
    const { clock, queue, breakers } = this;
    const pass = (key: string, signal: AbortSignal, attempt: Attempt) => this.#pass(key, signal, attempt);
    const observer = {
      ended: ({ key, how }: { key: string; how: string }) => void (how !== "done" && this.owed.add(key)),
    };
    void new Loop({ name: "workshop", queue, gate: this.gate, breakers, clock, observer, pass });
  }

  add(key: string): void {
    this.owed.add(key);
    this.queue.add(key);
  }

  /** From now on all goes well. */
  calm(): void {
    this.isDown = false;
    this.#plans = [{ ms: 1, ending: "ask", isObedient: true }];
    this.gate.turn(true);
  }

  async #pass(key: string, signal: AbortSignal, attempt: Attempt): Promise<Ending> {
    if (this.running.has(key)) this.broken.add("a key is in work once at a time");
    if (this.running.size >= 4) this.broken.add("four at once");
    if (!this.gate.mayWrite()) this.broken.add("no pass starts while the gate is closed");
    this.owed.delete(key);
    this.running.add(key);
    const plan = this.#plans[this.#passes++ % this.#plans.length] ?? { ms: 1, ending: "done", isObedient: true };
    try {
      await this.#work(plan, signal);
      return await this.#end(plan, attempt);
    } finally {
      this.running.delete(key);
    }
  }

  #work({ ms, isObedient }: Plan, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      this.clock.schedule(ms, resolve);
      if (isObedient) signal.addEventListener("abort", () => reject(signal.reason as Error));
    });
  }

  async #end({ ending }: Plan, attempt: Attempt): Promise<Ending> {
    if (ending === "throw") throw new Error("a bug");
    if (ending === "again") return { kind: "again", atMs: this.clock.wall() + 700 };
    if (ending !== "ask") return { kind: ending };
    if (attempt.admit(pools) === "wait") return { kind: "failed" };
    if (this.isDown) attempt.unavailable(pools, { message: "down" });
    else attempt.answered(pools);
    return { kind: this.isDown ? "failed" : "done" };
  }
}

const plan: fc.Arbitrary<Plan> = fc.record({
  ms: fc.constantFrom(0, 1, 5, 300, 2_000, 70_000),
  ending: fc.constantFrom("done", "again", "failed", "throw", "ask", "ask", "ask"),
  isObedient: fc.boolean(),
});
const event = fc.record({
  what: fc.constantFrom("add", "add", "add", "add", "close", "open", "break", "mend"),
  key: fc.constantFrom("a", "b", "c", "d", "e", "f"),
  thenMs: fc.constantFrom(0, 0, 0, 1, 10, 900, 3_000),
});

test("no key is in work twice or lost, four at most at once, none while the gate is closed, whatever passes and servers do", async () => {
  const law = fc.asyncProperty(
    fc.array(plan, { minLength: 1, maxLength: 12 }),
    fc.array(event, { maxLength: 20 }),
    async (plans, events) => {
      const workshop = new Workshop(plans);
      for (const { what, key, thenMs } of events) {
        if (what === "add") workshop.add(key);
        else if (what === "close" || what === "open") workshop.gate.turn(what === "open");
        else workshop.isDown = what === "break";
        await workshop.clock.advance(thenMs); // oxlint-disable-line no-await-in-loop -- one event after the other
      }
      workshop.calm();
      await workshop.clock.advance(72_000); // the longest pass
      await workshop.clock.advance(40_000); // the longest rest
      return (
        workshop.broken.size === 0 &&
        workshop.owed.size === 0 &&
        workshop.running.size === 0 &&
        workshop.clock.scheduled === 0
      );
    },
  );
  await fc.assert(law, { numRuns: 20_000 });
});
