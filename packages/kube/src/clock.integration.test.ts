import { spawnSync } from "node:child_process";
import { VirtualClock } from "@virt/testkit";
import { expect, test } from "vitest";
import { sleep, systemClock } from "./clock.ts";

test("a process that only waits for a timer stays until it has run", () => {
  const script = `
    import { systemClock } from "${new URL("./clock.ts", import.meta.url).href}";
    systemClock.schedule(20, () => process.stdout.write("ran"));
  `;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module-typescript", "-e", script]);
  expect(stdout.toString()).toBe("ran");
});

test("a time beyond what Node's timers can hold is not at once", async () => {
  const order: string[] = [];
  const cancel = systemClock.schedule(2 ** 31 + 5, () => order.push("in 25 days"));
  await new Promise<void>((resolve) => {
    systemClock.schedule(5, resolve);
  });
  cancel();
  expect(order).toEqual([]);
});

test("a sleep ends when its time is over, when it is aborted, and at once if it was aborted before", async () => {
  const clock = new VirtualClock();
  const awake: string[] = [];
  const abort = new AbortController();
  void sleep(clock, 10, new AbortController().signal).then(() => awake.push("time"));
  void sleep(clock, 1_000, abort.signal).then(() => awake.push("aborted"));
  await clock.advance(10);
  abort.abort();
  await clock.advance(0);
  void sleep(clock, 1_000, abort.signal).then(() => awake.push("aborted before"));
  await clock.advance(0);
  expect(awake).toEqual(["time", "aborted", "aborted before"]);
  expect(clock.scheduled).toBe(0);
});
