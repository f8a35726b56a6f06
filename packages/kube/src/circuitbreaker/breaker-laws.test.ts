import { VirtualClock } from "@virt/testkit";
import fc from "fast-check";
import { test } from "vitest";
import type { BreakerScope } from "../client/request.ts";
import { Breakers, type GuardedAttempt } from "./breaker.ts";

const refused = { message: "connection refused" };

const scopes = ["nodes", "pools"].flatMap((resource): readonly BreakerScope[] => [
  { access: "read", resource },
  { access: "write", resource },
]);

/** Simulates workers that send requests to resources, which go up and down. */
class BreakerHarness {
  readonly clock = new VirtualClock();
  readonly down = new Set<BreakerScope>();
  readonly open = new Set<BreakerScope>();
  /** Requests and wake-ups while their breaker was open. */
  readonly tries: { readonly at: number; readonly scope: BreakerScope; readonly isDown: boolean }[] = [];
  readonly trials: { readonly at: number; readonly scope: BreakerScope }[] = [];
  readonly openings: number[] = [];
  readonly closings: number[] = [];
  readonly breakers = new Breakers({
    clock: this.clock,
    observer: {
      opened: (scope) => {
        this.open.add(scope);
        this.openings.push(this.clock.monotonic());
      },
      closed: (scope) => {
        this.open.delete(scope);
        this.closings.push(this.clock.monotonic());
      },
    },
  });
  readonly unfinished = new Set<string>();
  readonly #busy = new Set<string>();
  readonly #failures = new Map<string, number>();
  readonly #plans: ReadonlyMap<string, readonly BreakerScope[]>;
  readonly #latencies: readonly number[];

  constructor(plans: readonly (readonly BreakerScope[])[], latencies: readonly number[]) {
    this.#plans = new Map(plans.map((plan, index) => [`worker ${index}`, plan]));
    this.#latencies = latencies;
  }

  get names(): readonly string[] {
    return [...this.#plans.keys()];
  }

  start(name: string): void {
    this.unfinished.add(name);
    if (this.#busy.has(name)) return;
    this.#busy.add(name);
    this.#continue(name, this.breakers.begin(name), this.#plans.get(name) ?? []);
  }

  leave(name: string): void {
    this.unfinished.delete(name);
    this.breakers.withdraw(name);
  }

  #continue(name: string, attempt: GuardedAttempt, [scope, ...rest]: readonly BreakerScope[]): void {
    if (scope === undefined) return this.#finish(name, attempt);
    if (attempt.admit(scope) === "wait") return this.#fail(name, attempt, scope);
    const isDown = this.down.has(scope);
    if (this.open.has(scope)) this.tries.push({ at: this.clock.monotonic(), scope, isDown });
    this.clock.schedule(this.#latencies[scopes.indexOf(scope)] ?? 0, () => {
      if (isDown) {
        attempt.unavailable(scope, refused);
        this.#fail(name, attempt, scope);
      } else {
        attempt.answered(scope);
        this.#continue(name, attempt, rest);
      }
    });
  }

  #finish(name: string, attempt: GuardedAttempt): void {
    attempt.end();
    this.#busy.delete(name);
    this.#failures.delete(name);
    this.unfinished.delete(name);
  }

  #fail(name: string, attempt: GuardedAttempt, scope: BreakerScope): void {
    const isParked = attempt.park(() => {
      if (this.open.has(scope)) this.trials.push({ at: this.clock.monotonic(), scope });
      this.clock.schedule(0, () => this.#again(name));
    });
    if (isParked) return void this.#busy.delete(name);
    const failures = (this.#failures.get(name) ?? 0) + 1;
    this.#failures.set(name, failures);
    this.clock.schedule(5 * 2 ** failures, () => {
      this.#busy.delete(name);
      this.#again(name);
    });
  }

  #again(name: string): void {
    if (this.unfinished.has(name)) this.start(name);
    else this.breakers.withdraw(name);
  }
}

const plans = fc.array(fc.uniqueArray(fc.constantFrom(...scopes), { minLength: 1, maxLength: 3 }), {
  minLength: 1,
  maxLength: 10,
});
const latencies = fc.array(fc.constantFrom(0, 20, 700, 1_500), { minLength: 4, maxLength: 4 });
const events = fc.array(
  fc.record({
    who: fc.nat({ max: 9 }),
    what: fc.constantFrom("start", "start", "start", "leave", "break", "break", "recover", "recover"),
    scope: fc.constantFrom(...scopes),
    thenMs: fc.constantFrom(0, 1, 30, 400, 1_000, 2_500),
  }),
  { minLength: 5, maxLength: 20 },
);

type Events = typeof events extends fc.Arbitrary<infer T> ? T : never;

/** Begins with an outage and all workers running. */
function runSteps(harness: BreakerHarness, steps: Events): void {
  for (const scope of scopes) harness.down.add(scope);
  for (const name of harness.names) harness.start(name);
  for (const { who, what, scope, thenMs } of steps) {
    const name = harness.names[who % harness.names.length] ?? "";
    if (what === "break") harness.down.add(scope);
    else if (what === "recover") harness.down.delete(scope);
    else harness[what](name);
    harness.clock.elapse(thenMs);
  }
}

test("trials are a second apart, and each costs at most one failure", () => {
  const law = fc.property(plans, events, latencies, (plans, steps, latencies) => {
    const harness = new BreakerHarness(plans, latencies);
    runSteps(harness, steps);
    harness.clock.elapse(5_000);
    const inTurn = harness.trials.filter(({ at }) => !harness.closings.includes(at));
    const isSpaced = inTurn.every(({ at }) =>
      harness.trials.every((other) => other.at >= at || at - other.at >= 1_000),
    );
    return isSpaced && harness.tries.filter(({ isDown }) => isDown).length <= harness.trials.length;
  });
  fc.assert(law);
});

test("sends at most one request a second in a full outage", () => {
  const law = fc.property(plans, events, (plans, steps) => {
    const harness = new BreakerHarness(plans, []);
    runSteps(
      harness,
      steps.filter(({ what }) => what !== "recover"),
    );
    harness.clock.elapse(5_000);
    const times = [...harness.openings, ...harness.tries.map(({ at }) => at)];
    return harness.tries.every(({ at }) => times.every((other) => other >= at || at - other >= 1_000));
  });
  fc.assert(law);
});

test("every open breaker with waiting workers gets a trial", () => {
  const law = fc.property(plans, events, (plans, steps) => {
    const harness = new BreakerHarness(plans, []);
    runSteps(harness, steps);
    for (const scope of scopes) harness.down.add(scope);
    const waitedFor = harness.breakers.open.filter(({ waiting }) => waiting > 0).map(({ scope }) => scope);
    const before = harness.trials.length;
    harness.clock.elapse(8_000); // one turn each, plus a second for each circuit that opens in the meantime
    const tried = new Set(harness.trials.slice(before).map(({ scope }) => scope));
    return waitedFor.every((scope) => tried.has(scope));
  });
  fc.assert(law);
});

test("all waiting workers finish after an outage", () => {
  const law = fc.property(plans, events, latencies, (plans, steps, latencies) => {
    const harness = new BreakerHarness(plans, latencies);
    runSteps(harness, steps);
    harness.down.clear();
    harness.clock.elapse(30_000);
    return (
      harness.unfinished.size === 0 &&
      harness.clock.scheduled === 0 &&
      harness.breakers.open.every(({ waiting }) => waiting === 0)
    );
  });
  fc.assert(law);
});
