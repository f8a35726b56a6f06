import { VirtualClock } from "@virt/testkit";
import fc from "fast-check";
import { test } from "vitest";
import type { Scope } from "../wire/request.ts";
import type { Attempt } from "./attempt.ts";
import { Breakers } from "./breaker.ts";

const refused = { message: "connection refused" };

const scopes = ["nodes", "pools"].flatMap((resource): readonly Scope[] => [
  { access: "read", resource },
  { access: "write", resource },
]);

/** Some who each have work on some resources, and resources that are up or down. */
class Town {
  readonly clock = new VirtualClock();
  readonly down = new Set<Scope>();
  readonly open = new Set<Scope>();
  /** What was sent, and when somebody was woken, as long as the breaker concerned was open. */
  readonly tries: { readonly at: number; readonly scope: Scope; readonly isDown: boolean }[] = [];
  readonly trials: { readonly at: number; readonly scope: Scope }[] = [];
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
  readonly #plans: ReadonlyMap<string, readonly Scope[]>;
  readonly #latencies: readonly number[];

  constructor(plans: readonly (readonly Scope[])[], latencies: readonly number[]) {
    this.#plans = new Map(plans.map((plan, index) => [`citizen ${index}`, plan]));
    this.#latencies = latencies;
  }

  get names(): readonly string[] {
    return [...this.#plans.keys()];
  }

  start(name: string): void {
    this.unfinished.add(name);
    if (this.#busy.has(name)) return;
    this.#busy.add(name);
    this.#goOn(name, this.breakers.begin(name), this.#plans.get(name) ?? []);
  }

  leave(name: string): void {
    this.unfinished.delete(name);
    this.breakers.withdraw(name);
  }

  #goOn(name: string, attempt: Attempt, [scope, ...rest]: readonly Scope[]): void {
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
        this.#goOn(name, attempt, rest);
      }
    });
  }

  #finish(name: string, attempt: Attempt): void {
    attempt.end();
    this.#busy.delete(name);
    this.#failures.delete(name);
    this.unfinished.delete(name);
  }

  #fail(name: string, attempt: Attempt, scope: Scope): void {
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
    what: fc.constantFrom("start", "start", "start", "leave", "break", "break", "mend", "mend"),
    scope: fc.constantFrom(...scopes),
    thenMs: fc.constantFrom(0, 1, 30, 400, 1_000, 2_500),
  }),
  { minLength: 5, maxLength: 20 },
);

type Events = typeof events extends fc.Arbitrary<infer T> ? T : never;

/** Begins with an outage and everybody at work. */
function live(town: Town, happenings: Events): void {
  for (const scope of scopes) town.down.add(scope);
  for (const name of town.names) town.start(name);
  for (const { who, what, scope, thenMs } of happenings) {
    const name = town.names[who % town.names.length] ?? "";
    if (what === "break") town.down.add(scope);
    else if (what === "mend") town.down.delete(scope);
    else town[what](name);
    town.clock.elapse(thenMs);
  }
}

test("a second lies between two trials, but for those at a closing, and each costs one failing request at most", () => {
  const law = fc.property(plans, events, latencies, (plans, happenings, latencies) => {
    const town = new Town(plans, latencies);
    live(town, happenings);
    town.clock.elapse(5_000);
    const inTurn = town.trials.filter(({ at }) => !town.closings.includes(at));
    const isSpaced = inTurn.every(({ at }) => town.trials.every((other) => other.at >= at || at - other.at >= 1_000));
    return isSpaced && town.tries.filter(({ isDown }) => isDown).length <= town.trials.length;
  });
  fc.assert(law, { numRuns: 20_000 });
});

test("in an outage of everything at most one request a second leaves", () => {
  const law = fc.property(plans, events, (plans, happenings) => {
    const town = new Town(plans, []);
    live(
      town,
      happenings.filter(({ what }) => what !== "mend"),
    );
    town.clock.elapse(5_000);
    const times = [...town.openings, ...town.tries.map(({ at }) => at)];
    return town.tries.every(({ at }) => times.every((other) => other >= at || at - other >= 1_000));
  });
  fc.assert(law, { numRuns: 20_000 });
});

test("every open breaker that somebody waits for has its turn", () => {
  const law = fc.property(plans, events, (plans, happenings) => {
    const town = new Town(plans, []);
    live(town, happenings);
    for (const scope of scopes) town.down.add(scope);
    const waitedFor = town.breakers.open.filter(({ waiting }) => waiting > 0).map(({ scope }) => scope);
    const before = town.trials.length;
    town.clock.elapse(8_000); // one turn each, and a second more for each that opens meanwhile
    const tried = new Set(town.trials.slice(before).map(({ scope }) => scope));
    return waitedFor.every((scope) => tried.has(scope));
  });
  fc.assert(law, { numRuns: 20_000 });
});

test("when all is well again everybody who waited gets done, and nothing is left", () => {
  const law = fc.property(plans, events, latencies, (plans, happenings, latencies) => {
    const town = new Town(plans, latencies);
    live(town, happenings);
    town.down.clear();
    town.clock.elapse(30_000);
    return (
      town.unfinished.size === 0 &&
      town.clock.scheduled === 0 &&
      town.breakers.open.every(({ waiting }) => waiting === 0)
    );
  });
  fc.assert(law, { numRuns: 20_000 });
});
