import type { Status } from "@virt/api";
import { afterEach, expect, test } from "vitest";
import { edit, loadAware, paths } from "../support/advisor.ts";
import {
  applyToPausedPool,
  hasPausedItem,
  psiItem,
  removeLoadAware,
  unpauseWorkers,
  useAdvisor,
} from "../support/advisor-suite.ts";
import { type ClockFile, prepareClock } from "../support/clock-file.ts";
import { itemOf } from "../support/config-client.ts";

const worker = paths.pool("worker");
const tenMinutes = 600_000;
let clock: ClockFile;

const advisor = useAdvisor({
  scenario: "no-vms",
  prepare: async ({ server }) => {
    clock = await prepareClock(server.folder, "set-clock.mjs");
    return { nodeFlags: clock.nodeFlags };
  },
});
afterEach(async () => {
  await clock.setMs(0);
  await removeLoadAware(advisor());
});

async function startAndWait(waitTimeout: string): Promise<Status> {
  await applyToPausedPool(advisor(), loadAware, { waitTimeout });
  const isRestDone = ({ items = [] }: Status) => items[1]?.state === "Completed";
  return advisor().configs.until(loadAware, (status) => hasPausedItem(status) && isRestDone(status));
}

const startTime = (status: Status) => Date.parse(itemOf(status, psiItem).rollout?.startTime ?? "");

test("a clock that jumps forward does not end a wait, even after a restart", async () => {
  const { configs, server } = advisor();
  const started = startTime(await startAndWait("5m"));
  await clock.setMs(tenMinutes);
  await edit(server, worker, { metadata: { labels: { "reconcile-me": "once" } } });
  const later = await configs.until(loadAware, (status) => startTime(status) !== started);
  expect(later.phase).toBe("InProgress");
  expect(Math.abs(startTime(later) - started - tenMinutes)).toBeLessThan(60_000);

  await advisor().stop();
  await advisor().start();
  await unpauseWorkers(server);
  const ended = await configs.until(loadAware, ({ phase }) => phase === "Completed" || phase === "Failed");
  expect(ended.phase).toBe("Completed");
});

test("a clock that jumps back does not extend a wait by the difference", { tags: ["thorough"] }, async () => {
  await startAndWait("20s");
  await clock.setMs(-tenMinutes);
  const failed = await advisor().configs.until(loadAware, "Failed");
  expect(itemOf(failed, psiItem).message).toMatch(
    /^Timeout waiting for resource to become healthy \(waited \d+s, timeout 20s\)/,
  );
});
