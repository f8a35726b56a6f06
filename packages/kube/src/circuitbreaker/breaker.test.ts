import { VirtualClock } from "@virt/testkit";
import { expect, test } from "vitest";
import type { BreakerScope } from "../client/request.ts";
import { Breakers } from "./breaker.ts";

const nodes: BreakerScope = { access: "read", resource: "nodes" };
const pools: BreakerScope = { access: "write", resource: "pools" };
const readPools: BreakerScope = { access: "read", resource: "pools" };
const refused = { message: "connection refused" };

function begin() {
  const clock = new VirtualClock();
  const reported: string[] = [];
  const observer = {
    opened: ({ access, resource }: BreakerScope, message: string) =>
      reported.push(`opened ${access} ${resource}: ${message}`),
    closed: ({ access, resource }: BreakerScope, ms: number) =>
      reported.push(`closed ${access} ${resource} after ${ms}`),
  };
  const breakers = new Breakers({ clock, observer });
  const woken: string[] = [];
  const fail = (name: string, scope: BreakerScope, answer: { message: string; retryInMs?: number } = refused) => {
    const attempt = breakers.begin(name);
    const admitted = attempt.admit(scope);
    if (admitted === "go") attempt.unavailable(scope, answer);
    return { admitted, isParked: attempt.park(() => woken.push(name)) };
  };
  const succeed = (name: string, scope: BreakerScope) => {
    const attempt = breakers.begin(name);
    if (attempt.admit(scope) === "go") attempt.answered(scope);
    attempt.end();
  };
  const open = (scope: BreakerScope, ...names: readonly string[]) => {
    for (const name of [...names, "x", "x", "x"].slice(0, Math.max(3, names.length))) fail(name, scope);
    for (const name of names.slice(0, 2)) fail(name, scope);
    breakers.withdraw("x");
  };
  const elapse = (ms: number) => {
    woken.length = 0;
    clock.elapse(ms);
    return [...woken];
  };
  return { clock, breakers, reported, woken, fail, succeed, open, elapse };
}

test("opens after three unavailable answers in a row", () => {
  const { fail, succeed, reported } = begin();
  fail("a", nodes);
  fail("b", nodes);
  succeed("c", nodes);
  expect([fail("a", nodes).isParked, fail("b", nodes).isParked, fail("c", nodes).isParked]).toEqual([
    false,
    false,
    true,
  ]);
  expect(reported).toEqual(["opened read nodes: connection refused"]);
});

test("does not affect other resources and the other access of this one", () => {
  const { open, fail } = begin();
  open(pools, "a");
  expect(fail("b", pools)).toEqual({ admitted: "wait", isParked: true });
  expect(fail("b", readPools)).toEqual({ admitted: "go", isParked: false });
  expect(fail("b", nodes)).toEqual({ admitted: "go", isParked: false });
});

test("admits one waiting worker a second, in turn", () => {
  const { open, fail, elapse } = begin();
  open(nodes, "n1", "n2");
  open(pools, "p1", "p2");
  const turns = [1, 2, 3, 4, 5].map(() => {
    const [name = "", ...others] = elapse(1_000);
    expect(others).toEqual([]);
    expect(fail(name, name.startsWith("n") ? nodes : pools)).toEqual({ admitted: "go", isParked: true });
    return name;
  });
  expect(turns).toEqual(["n1", "p1", "n2", "p2", "n1"]);
});

test("a trial has one request at a time and ends at its first failure", () => {
  const { open, elapse, breakers } = begin();
  open(nodes, "a");
  open(pools, "b");
  expect(elapse(1_000)).toEqual(["a"]);
  const attempt = breakers.begin("a");
  expect([attempt.admit(nodes), attempt.admit(nodes), attempt.admit(pools)]).toEqual(["go", "wait", "wait"]);
  attempt.unavailable(nodes, refused);
  expect([attempt.admit(nodes), attempt.admit(pools)]).toEqual(["wait", "wait"]);
});

test("the first success closes it, wakes other breakers and doubles admissions", () => {
  const { open, elapse, succeed, woken, reported } = begin();
  open(nodes, "a", "b", "c", "d", "e", "f", "g", "h", "i");
  open(pools, "p");
  const [first = ""] = elapse(1_000);
  woken.length = 0;
  succeed(first, nodes);
  expect(woken).toEqual(["d", "p"]);
  succeed("other", nodes);
  expect(woken).toEqual(["d", "p", "e", "f"]);
  succeed("other", nodes);
  expect(woken).toEqual(["d", "p", "e", "f", "g", "h", "i", "a"]);
  expect(reported.at(-1)).toBe("closed read nodes after 1000");
});

test("wakes the parked workers of a closed breaker without further successes", () => {
  const { open, elapse, succeed } = begin();
  open(nodes, "a", "b", "c", "d", "e", "f");
  succeed(elapse(1_000)[0] ?? "", nodes);
  expect([elapse(1_000), elapse(1_000), elapse(10_000)]).toEqual([["e", "f"], ["a", "b"], []]);
});

test("makes no trial before the server's Retry-After", () => {
  const { open, fail, elapse } = begin();
  open(nodes, "a");
  const [name = ""] = elapse(1_000);
  fail(name, nodes, { message: "too many requests", retryInMs: 5_500 });
  expect(elapse(5_499)).toEqual([]);
  expect(elapse(1)).toEqual(["a"]);
});

test("passes an unused trial on if its holder withdraws", () => {
  const { open, elapse, breakers } = begin();
  open(nodes, "a", "b", "c");
  const [holder = ""] = elapse(1_000);
  expect(elapse(5_000)).toEqual([]);
  breakers.withdraw(holder);
  expect(elapse(0)).toHaveLength(1);
});

test("a worker that runs for another reason no longer waits", () => {
  const { open, breakers, elapse, clock } = begin();
  open(nodes, "a");
  breakers.begin("a").end();
  expect(elapse(10_000)).toEqual([]);
  expect(clock.scheduled).toBe(0);
});

test("a worker waits only if it met an open breaker and no success", () => {
  const { open, breakers, elapse } = begin();
  open(nodes, "a");
  const idle = breakers.begin("b");
  expect(idle.park(() => undefined)).toBe(false);
  const recovered = breakers.begin("c");
  recovered.admit(nodes);
  recovered.answered(pools);
  expect(recovered.park(() => undefined)).toBe(false);
  expect(
    recovered.park(() => undefined),
    "it has ended",
  ).toBe(false);
  expect(elapse(1_000)).toEqual(["a"]);
});

test("lists open breakers with their duration and waiting workers", () => {
  const { open, breakers, elapse, clock } = begin();
  open(nodes, "a", "b", "c");
  elapse(1_000);
  expect(breakers.open).toEqual([{ scope: nodes, openForMs: 1_000, waiting: 2 }]);
  breakers[Symbol.dispose]();
  expect([breakers.open, clock.scheduled]).toEqual([[], 0]);
});
