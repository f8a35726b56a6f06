import { runsForCost } from "@virt/testkit/law-runs";
import fc from "fast-check";
import { test } from "vitest";
import { EventHarness, eventAbout, refillMs, repeatMs } from "../testing/event-harness.ts";

type HarnessStep = (harness: EventHarness) => void;

const subject = fc.constantFrom("s", "t");
const usual: readonly fc.Arbitrary<HarnessStep>[] = [
  fc.tuple(subject, fc.constantFrom("a", "b", "!c")).map(
    ([who, note]) =>
      (harness) =>
        harness.announce(who, note),
  ),
  fc.tuple(subject, fc.nat(9), fc.nat(30)).map(([who, from, count]) => (harness) => {
    for (let at = from; at < from + count; at++) eventAbout(harness, who, [`n${at}`]);
  }),
  fc.constant<HarnessStep>((harness) => harness.answer()),
  fc.constant<HarnessStep>((harness) => harness.answer(true)),
  fc.constantFrom(1, 999, 30_000, repeatMs, refillMs, 10 * refillMs).map((ms) => (harness) => harness.elapse(ms)),
  fc.tuple(fc.boolean(), fc.boolean()).map(([isDown, isParking]) => (harness) => {
    harness.isDown = isDown;
    harness.isParking = isParking;
  }),
  fc.constant<HarnessStep>((harness) => harness.wake()),
];
const rough: readonly fc.Arbitrary<HarnessStep>[] = [
  fc.constant<HarnessStep>((harness) => harness.refuse()),
  fc.tuple(subject, fc.constantFrom("a", "b")).map(([who, note]) => (harness) => {
    harness.server.delete(`${who}/${note}`);
  }),
];
const restart = fc.constant<HarnessStep>((harness) => harness.restart());
const historyOf = (steps: readonly fc.Arbitrary<HarnessStep>[]) =>
  fc.array(fc.oneof(...steps), { size: "max", maxLength: 24 });

function runSteps(steps: readonly HarnessStep[]): EventHarness {
  const harness = new EventHarness();
  for (const runStep of steps) runStep(harness);
  harness.heal();
  return harness;
}

test("counts each event on the server or reports its loss", () => {
  const law = fc.property(historyOf(usual), (steps) => {
    const { server, accepted, isAtRest } = runSteps(steps);
    const isTrue = [...accepted].every(([name, count]) => server.get(name) === count);
    return isAtRest && isTrue && server.size === accepted.size;
  });
  fc.assert(law);
});

test("no limit drops an important event", () => {
  const storm = fc.tuple(subject, fc.nat(9), fc.nat(300)).map(([who, from, count]) => (harness: EventHarness) => {
    for (let at = from; at < from + count; at++) eventAbout(harness, who, [`!drift: ${at}`, `n${at}`]);
  });
  const law = fc.property(historyOf([...usual, ...rough, storm]), (steps) =>
    runSteps(steps).dropped.every((note) => !note.startsWith("!")),
  );
  fc.assert(law, runsForCost(10));
});

test("the routine events of a subject respect its bucket", () => {
  const law = fc.property(historyOf([...usual, ...rough]), (steps) => {
    const { written } = runSteps(steps);
    return ["s", "t"].every((who) => {
      const isRoutine = ({ name }: { readonly name: string }) => !name.includes("!");
      const times = written.filter((one) => one.subject === who && isRoutine(one)).map(({ at }) => at);
      return times.every((at, before) => before < 25 + Math.floor(at / refillMs));
    });
  });
  fc.assert(law);
});

test("updates a series at most once per interval", () => {
  const law = fc.property(historyOf([...usual, ...rough, restart]), (steps) => {
    const { written, isAtRest } = runSteps(steps);
    const last = new Map<string, number>();
    return (
      isAtRest &&
      written.every(({ name, at, do: what }) => {
        const isEarly = what === "raise" && at - (last.get(name) ?? Number.NEGATIVE_INFINITY) < repeatMs;
        last.set(name, at);
        return !isEarly;
      })
    );
  });
  fc.assert(law);
});
