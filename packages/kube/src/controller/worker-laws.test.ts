import { VirtualClock } from "@virt/testkit";
import fc from "fast-check";
import { test } from "vitest";
import type { GuardedAttempt } from "../circuitbreaker/breaker.ts";
import type { BreakerScope } from "../client/request.ts";
import { ManualWriteGate } from "../testing/manual-write-gate.ts";
import { silentBreakers, silentQueueObserver } from "../testing/silent-observers.ts";
import { WorkQueue } from "../workqueue/work-queue.ts";
import { type ReconcileResult, Worker } from "./worker.ts";

const pools: BreakerScope = { access: "write", resource: "pools" };

type Plan = {
  readonly ms: number;
  readonly ending: "done" | "requeueAt" | "retry" | "throw" | "ask";
  /** True if it ends when its signal is aborted. */
  readonly isObedient: boolean;
};

/** Runs reconciles that follow plans and records violations of the worker's promises. */
class WorkerHarness {
  readonly clock = new VirtualClock();
  readonly gate = new ManualWriteGate();
  readonly breakers = silentBreakers(this.clock);
  readonly queue = new WorkQueue({
    clock: this.clock,
    chance: () => 0.5,
    observer: silentQueueObserver,
  });
  readonly owed = new Set<string>();
  readonly running = new Set<string>();
  readonly broken = new Set<string>();
  isDown = false;
  #plans: readonly Plan[];
  #reconciles = 0;

  constructor(plans: readonly Plan[]) {
    this.#plans = plans;
    const { clock, queue, breakers } = this;
    const reconcile = (key: string, signal: AbortSignal, attempt: GuardedAttempt) =>
      this.#reconcile(key, signal, attempt);
    const observer = {
      ended: ({ key, outcome }: { key: string; outcome: string }) => void (outcome !== "done" && this.owed.add(key)),
    };
    void new Worker({ name: "harness", queue, gate: this.gate, breakers, clock, observer, reconcile });
  }

  add(key: string): void {
    this.owed.add(key);
    this.queue.add(key);
  }

  calm(): void {
    this.isDown = false;
    this.#plans = [{ ms: 1, ending: "ask", isObedient: true }];
    this.gate.turn(true);
  }

  async #reconcile(key: string, signal: AbortSignal, attempt: GuardedAttempt): Promise<ReconcileResult> {
    if (this.running.has(key)) this.broken.add("a key is in work once at a time");
    if (this.running.size >= 4) this.broken.add("four at once");
    if (!this.gate.mayWrite()) this.broken.add("no reconcile starts while the gate is closed");
    this.owed.delete(key);
    this.running.add(key);
    const plan = this.#plans[this.#reconciles++ % this.#plans.length] ?? { ms: 1, ending: "done", isObedient: true };
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

  async #end({ ending }: Plan, attempt: GuardedAttempt): Promise<ReconcileResult> {
    if (ending === "throw") throw new Error("a bug");
    if (ending === "requeueAt") return { kind: "requeueAt", atMs: this.clock.wall() + 700 };
    if (ending !== "ask") return { kind: ending };
    if (attempt.admit(pools) === "wait") return { kind: "retry" };
    if (this.isDown) attempt.unavailable(pools, { message: "down" });
    else attempt.answered(pools);
    return { kind: this.isDown ? "retry" : "done" };
  }
}

const plan: fc.Arbitrary<Plan> = fc.record({
  ms: fc.constantFrom(0, 1, 5, 300, 2_000, 70_000),
  ending: fc.constantFrom("done", "requeueAt", "retry", "throw", "ask", "ask", "ask"),
  isObedient: fc.boolean(),
});
const event = fc.record({
  what: fc.constantFrom("add", "add", "add", "add", "close", "open", "break", "recover"),
  key: fc.constantFrom("a", "b", "c", "d", "e", "f"),
  thenMs: fc.constantFrom(0, 0, 0, 1, 10, 900, 3_000),
});

test("runs each key once at a time, at most four, while the gate is open", async () => {
  const law = fc.asyncProperty(
    fc.array(plan, { minLength: 1, maxLength: 12 }),
    fc.array(event, { maxLength: 20 }),
    async (plans, events) => {
      const harness = new WorkerHarness(plans);
      for (const { what, key, thenMs } of events) {
        if (what === "add") harness.add(key);
        else if (what === "close" || what === "open") harness.gate.turn(what === "open");
        else harness.isDown = what === "break";
        await harness.clock.advance(thenMs); // oxlint-disable-line no-await-in-loop -- one event after the other
      }
      harness.calm();
      await harness.clock.advance(72_000); // the longest reconcile
      await harness.clock.advance(40_000); // the longest backoff
      return (
        harness.broken.size === 0 &&
        harness.owed.size === 0 &&
        harness.running.size === 0 &&
        harness.clock.scheduled === 0
      );
    },
  );
  await fc.assert(law);
});
