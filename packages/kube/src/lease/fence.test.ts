import { VirtualClock } from "@virt/testkit";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Fence, openGate } from "./fence.ts";

function begin(state: "open" | "closed" = "open") {
  const clock = new VirtualClock();
  const fence = new Fence({ clock, deadlineMs: 10_000 });
  const told: boolean[] = [];
  fence.subscribe((isOpen) => told.push(isOpen));
  if (state === "open") fence.renewed(fence.mark());
  return { clock, fence, told };
}

test("nobody writes before the first renewal", () => {
  const { fence, told } = begin("closed");
  expect(fence.mayWrite()).toBe(false);
  expect(told).toEqual([false]);
});

test("a renewal counts from when it was sent, and at the deadline the gate closes by itself", () => {
  const { clock, fence, told } = begin("closed");
  const mark = fence.mark();
  clock.elapse(4_000);
  fence.renewed(mark);
  clock.elapse(5_999);
  expect(fence.mayWrite()).toBe(true);
  clock.elapse(1);
  expect(told).toEqual([false, true, false]);
});

test("an answer that comes after the deadline opens nothing", () => {
  const { clock, fence, told } = begin("closed");
  const mark = fence.mark();
  clock.elapse(10_000);
  fence.renewed(mark);
  expect(told).toEqual([false]);
});

const wakings: readonly { readonly reason: string; readonly happen: (clock: VirtualClock) => void }[] = [
  { reason: "a process that was frozen", happen: (clock) => clock.freeze(60_000) },
  { reason: "a machine that was suspended", happen: (clock) => clock.suspend(60_000) },
  {
    reason: "a machine that was suspended after its clock was set back",
    happen: (clock) => {
      clock.stepWall(-3_600_000);
      clock.elapse(1_000);
      clock.suspend(60_000);
    },
  },
  {
    reason: "a process that was frozen while its clock was set back",
    happen: (clock) => {
      clock.freeze(60_000);
      clock.stepWall(-60_000);
    },
  },
];

test.each(wakings)(
  "$reason writes nothing when it wakes, and all are told before the answer is given",
  ({ happen }) => {
    const { clock, fence, told } = begin();
    happen(clock);
    expect(fence.mayWrite()).toBe(false);
    expect(told).toEqual([false, true, false]);
  },
);

test("once closed it stays closed until the next renewal, whatever the clocks say; then it is open at once", () => {
  const { clock, fence } = begin();
  clock.stepWall(3_600_000);
  expect(fence.mayWrite()).toBe(false);
  clock.stepWall(-3_600_000);
  expect(fence.mayWrite()).toBe(false);
  fence.renewed(fence.mark());
  expect(fence.mayWrite()).toBe(true);
});

test("a lease that is lost closes it at once, and the next renewal opens it", () => {
  const { fence, told } = begin();
  fence.close();
  fence.close();
  fence.renewed(fence.mark());
  expect(told).toEqual([false, true, false, true]);
});

test("a shut fence never opens again, and leaves no timer", () => {
  const { clock, fence, told } = begin();
  fence[Symbol.dispose]();
  fence.renewed(fence.mark());
  expect(told).toEqual([false, true, false]);
  expect(clock.scheduled).toBe(0);
});

test("who has unsubscribed hears nothing", () => {
  const { fence } = begin();
  const heard: boolean[] = [];
  fence.subscribe((isOpen) => heard.push(isOpen))();
  fence.close();
  expect(heard).toEqual([true]);
});

test("without leader election the gate is open", () => {
  const heard: boolean[] = [];
  openGate.subscribe((isOpen) => heard.push(isOpen))();
  expect([openGate.mayWrite(), ...heard]).toEqual([true, true]);
});

const happening = fc.record({
  what: fc.constantFrom("send", "answer", "advance", "freeze", "suspend", "set", "lose", "write"),
  ms: fc.oneof(fc.integer({ min: 0, max: 4_000 }), fc.integer({ min: 0, max: 40_000 })),
  isBack: fc.boolean(),
});

test("no write leaves when the last renewal was sent longer ago than the deadline, nor between a loss and a renewal", () => {
  const law = fc.property(fc.array(happening, { maxLength: 40 }), (happenings) => {
    const { clock, fence } = begin("closed");
    let now = 0;
    let sent: { readonly mark: number; readonly at: number } | undefined;
    let renewedAt = Number.NEGATIVE_INFINITY;
    const pass = (what: "freeze" | "suspend" | "elapse", ms: number) => {
      clock[what](ms);
      now += ms;
    };
    return happenings.every(({ what, ms, isBack }) => {
      if (what === "send") sent = { mark: fence.mark(), at: now };
      else if (what === "answer" && sent !== undefined) {
        fence.renewed(sent.mark);
        renewedAt = Math.max(renewedAt, sent.at);
        sent = undefined;
      } else if (what === "lose") {
        fence.close();
        renewedAt = Number.NEGATIVE_INFINITY;
        sent = undefined;
      } else if (what === "freeze" || what === "suspend") pass(what, ms);
      else if (what === "advance") pass("elapse", ms);
      else if (what === "set") {
        clock.stepWall(isBack ? -ms : ms);
        pass("elapse", 1_000); // it looks once a second
      }
      return !fence.mayWrite() || now - renewedAt < 10_000 + 2 * happenings.length;
    });
  });
  fc.assert(law, { numRuns: 20_000 });
});
