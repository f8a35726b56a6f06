import { spawnSync } from "node:child_process";
import { sleep } from "@virt/objects";
import { VirtualClock } from "@virt/testkit";
import { expect, test } from "vitest";
import { systemClock } from "./clock.ts";

test("a process stays alive for its timer", () => {
  const script = `
    import { systemClock } from "${new URL("./clock.ts", import.meta.url).href}";
    systemClock.schedule(20, () => process.stdout.write("ran"));
  `;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module-typescript", "-e", script]);
  expect(stdout.toString()).toBe("ran");
});

test("a time beyond Node's limit does not fire at once", async () => {
  const order: string[] = [];
  const cancel = systemClock.schedule(2 ** 31 + 5, () => order.push("in 25 days"));
  await new Promise<void>((resolve) => {
    systemClock.schedule(5, resolve);
  });
  cancel();
  expect(order).toEqual([]);
});

test("a sleep ends on time, on abort, or at once if already aborted", async () => {
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
