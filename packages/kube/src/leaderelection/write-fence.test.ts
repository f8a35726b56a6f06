import { VirtualClock } from "@virt/testkit";
import fc from "fast-check";
import { expect, test } from "vitest";
import { noLease, WriteFence } from "./write-fence.ts";

function begin(state: "open" | "closed" = "open") {
  const clock = new VirtualClock();
  const fence = new WriteFence({ clock, deadlineMs: 10_000 });
  const reported: boolean[] = [];
  fence.subscribe((isOpen) => reported.push(isOpen));
  if (state === "open") fence.renewed(fence.mark());
  return { clock, fence, reported };
}

test("is closed before the first renewal", () => {
  const { fence, reported } = begin("closed");
  expect(fence.mayWrite()).toBe(false);
  expect(reported).toEqual([false]);
});

test("a renewal counts from its request, and the fence closes at the deadline", () => {
  const { clock, fence, reported } = begin("closed");
  const mark = fence.mark();
  clock.elapse(4_000);
  fence.renewed(mark);
  clock.elapse(5_999);
  expect(fence.mayWrite()).toBe(true);
  clock.elapse(1);
  expect(reported).toEqual([false, true, false]);
});

test("an answer after the deadline does not open it", () => {
  const { clock, fence, reported } = begin("closed");
  const mark = fence.mark();
  clock.elapse(10_000);
  fence.renewed(mark);
  expect(reported).toEqual([false]);
});

const wakings: readonly { readonly reason: string; readonly runStep: (clock: VirtualClock) => void }[] = [
  { reason: "a frozen process", runStep: (clock) => clock.freeze(60_000) },
  { reason: "a suspended machine", runStep: (clock) => clock.suspend(60_000) },
  {
    reason: "a suspended machine whose clock was set back",
    runStep: (clock) => {
      clock.stepWall(-3_600_000);
      clock.elapse(1_000);
      clock.suspend(60_000);
    },
  },
  {
    reason: "a frozen process whose clock was set back",
    runStep: (clock) => {
      clock.freeze(60_000);
      clock.stepWall(-60_000);
    },
  },
];

test.each(wakings)("$reason wakes with a closed fence", ({ runStep }) => {
  const { clock, fence, reported } = begin();
  runStep(clock);
  expect(fence.mayWrite()).toBe(false);
  expect(reported).toEqual([false, true, false]);
});

test("a closed fence stays closed for any clock until the next renewal", () => {
  const { clock, fence } = begin();
  clock.stepWall(3_600_000);
  expect(fence.mayWrite()).toBe(false);
  clock.stepWall(-3_600_000);
  expect(fence.mayWrite()).toBe(false);
  fence.renewed(fence.mark());
  expect(fence.mayWrite()).toBe(true);
});

test("a lost lease closes it until the next renewal", () => {
  const { fence, reported } = begin();
  fence.close();
  fence.close();
  fence.renewed(fence.mark());
  expect(reported).toEqual([false, true, false, true]);
});

test("a disposed fence stays closed and leaves no timer", () => {
  const { clock, fence, reported } = begin();
  fence[Symbol.dispose]();
  fence.renewed(fence.mark());
  expect(reported).toEqual([false, true, false]);
  expect(clock.scheduled).toBe(0);
});

test("does not notify an unsubscribed listener", () => {
  const { fence } = begin();
  const heard: boolean[] = [];
  fence.subscribe((isOpen) => heard.push(isOpen))();
  fence.close();
  expect(heard).toEqual([true]);
});

test("is open without leader election", () => {
  const heard: boolean[] = [];
  noLease.subscribe((isOpen) => heard.push(isOpen))();
  expect([noLease.mayWrite(), ...heard]).toEqual([true, true]);
});

const step = fc.record({
  what: fc.constantFrom("send", "answer", "advance", "freeze", "suspend", "set", "lose", "write"),
  ms: fc.oneof(fc.integer({ min: 0, max: 4_000 }), fc.integer({ min: 0, max: 40_000 })),
  isBack: fc.boolean(),
});

test("allows no write after the deadline or a lost lease", () => {
  const law = fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
    const { clock, fence } = begin("closed");
    let now = 0;
    let sent: { readonly mark: number; readonly at: number } | undefined;
    let renewedAt = Number.NEGATIVE_INFINITY;
    const moveTime = (what: "freeze" | "suspend" | "elapse", ms: number) => {
      clock[what](ms);
      now += ms;
    };
    return steps.every(({ what, ms, isBack }) => {
      if (what === "send") sent = { mark: fence.mark(), at: now };
      else if (what === "answer" && sent !== undefined) {
        fence.renewed(sent.mark);
        renewedAt = Math.max(renewedAt, sent.at);
        sent = undefined;
      } else if (what === "lose") {
        fence.close();
        renewedAt = Number.NEGATIVE_INFINITY;
        sent = undefined;
      } else if (what === "freeze" || what === "suspend") moveTime(what, ms);
      else if (what === "advance") moveTime("elapse", ms);
      else if (what === "set") {
        clock.stepWall(isBack ? -ms : ms);
        moveTime("elapse", 1_000);
      }
      return !fence.mayWrite() || now - renewedAt < 10_000 + 2 * steps.length;
    });
  });
  fc.assert(law);
});
