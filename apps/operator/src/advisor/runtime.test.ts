import { expect, test } from "vitest";
import { ClockSteps, Rejections } from "./runtime.ts";

function clocks() {
  const at = { wall: 1_800_000_000_000, monotonic: 5_000 };
  const steps = new ClockSteps({ wall: () => at.wall, monotonic: () => at.monotonic });
  return {
    steps,
    advance: (ms: number) => {
      at.wall += ms;
      at.monotonic += ms;
    },
    set: (ms: number) => {
      at.wall += ms;
    },
  };
}

test("ignores passing time and small clock corrections", () => {
  const { steps, advance, set } = clocks();
  steps.read("a").settle();
  advance(3_600_000);
  set(4_000);
  expect(steps.read("a").stepMs).toBe(0);
});

test("reports a clock step to each config until its times are written", () => {
  const { steps, set } = clocks();
  for (const config of ["a", "b"]) steps.read(config).settle();
  set(600_000);
  expect(steps.read("a").stepMs).toBe(600_000);
  steps.read("a").settle();
  set(-60_000);
  expect(["a", "b"].map((config) => steps.read(config).stepMs)).toEqual([-60_000, 540_000]);
});

test("the next reconcile notices a clock step during a reconcile", () => {
  const { steps, set } = clocks();
  steps.read("a").settle();
  const reading = steps.read("a");
  set(600_000);
  reading.settle();
  expect(steps.read("a").stepMs).toBe(600_000);
});

test("reports no clock step for a forgotten config", () => {
  const { steps, set } = clocks();
  steps.read("a").settle();
  set(600_000);
  steps.forget("a");
  expect(steps.read("a").stepMs).toBe(0);
});

const config = { name: "load-aware-rebalancing", generation: 2 };
const item = "enable-psi-metrics";

function believed(
  seconds: readonly number[],
  between: (rejections: Rejections, nowMs: number) => void = () => undefined,
  message = "no",
): readonly string[] {
  const rejections = new Rejections();
  return seconds.map((second) => {
    const nowMs = second * 1000;
    const result = rejections.counterFor("write", config, nowMs).count(item, message);
    between(rejections, nowMs);
    return result.kind;
  });
}

test("accepts a rejection after 3 attempts, 5 seconds apart", () => {
  expect(believed([0, 5, 10])).toEqual(["unavailable", "unavailable", "rejected"]);
  expect(believed([0, 1, 2, 3, 4])).not.toContain("rejected");
});

test("retries a write that a running remediation prohibits, however often it is refused", () => {
  const refusal =
    'admission webhook "vnodehealthcheck.kb.io" denied the request: selector update prohibited due to running remediation';
  expect(believed([0, 5, 10, 15, 20], undefined, refusal)).not.toContain("rejected");
});

test("an accepted attempt resets the count of rejections", () => {
  const acceptItem = (rejections: Rejections, nowMs: number) =>
    rejections.counterFor("write", config, nowMs).reset(item);
  expect(believed([0, 5, 10, 15, 20], acceptItem)).not.toContain("rejected");
});

test("counts rejections per operation, item and generation", () => {
  const others: readonly ((rejections: Rejections, nowMs: number) => void)[] = [
    (rejections, nowMs) => rejections.counterFor("dry run", config, nowMs).count(item, "no"),
    (rejections, nowMs) => rejections.counterFor("write", config, nowMs).count("other", "no"),
  ];
  for (const other of others) expect(believed([0, 5], other)).toEqual(["unavailable", "unavailable"]);
  const rejections = new Rejections();
  const kinds = [1, 2, 3].map(
    (generation) =>
      rejections.counterFor("write", { ...config, generation }, generation * 6_000).count(item, "no").kind,
  );
  expect(kinds).not.toContain("rejected");
});

test("a re-created config starts with no rejections", () => {
  expect(believed([0, 5, 10], (rejections) => rejections.forget(config.name))).not.toContain("rejected");
});

test("returns the time of the next attempt", () => {
  const rejections = new Rejections();
  rejections.counterFor("write", config, 0).count(item, "no");
  expect(rejections.counterFor("write", config, 2_000).count(item, "no")).toMatchObject({ retryInMs: 3_000 });
});
