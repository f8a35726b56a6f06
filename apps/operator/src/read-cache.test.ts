import type { ClusterReader, ReadResult } from "@virt/kube";
import { VirtualClock } from "@virt/testkit";
import { expect, test } from "vitest";
import { createReadCache } from "./read-cache.ts";

const found: ReadResult = {
  kind: "found",
  object: {
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "MachineConfig",
    metadata: { name: "rendered-1" },
  },
};
const forbidden = { kind: "rejected", reason: "Forbidden", message: "403" } as unknown as ReadResult;
const unavailable = { kind: "unavailable", message: "503" } as unknown as ReadResult;

function cacheOf(first: ReadResult) {
  const clock = new VirtualClock();
  const server = { answer: first, asked: 0 };
  const cluster: Pick<ClusterReader, "read"> = {
    read: () => {
      server.asked += 1;
      return Promise.resolve(server.answer);
    },
  };
  const cache = createReadCache(() => undefined, clock);
  return { clock, server, cluster, cache };
}

test.each([{ kind: "absent" } as const, forbidden])(
  "reads a rendered configuration that is $kind every 5 minutes",
  async (answer) => {
    const { clock, server, cluster, cache } = cacheOf(answer);
    for (let seconds = 0; seconds < 300; seconds += 5) {
      expect(await cache.renderedIfDue("rendered-1", cluster)).toBeUndefined();
      await clock.advance(5_000);
    }
    expect(server.asked).toBe(1);
    server.answer = found;
    expect(await cache.renderedIfDue("rendered-1", cluster)).toBeDefined();
    await cache.renderedIfDue("rendered-1", cluster);
    expect(server.asked).toBe(2);
  },
);

test("retries an unavailable configuration and one that a decision needs", async () => {
  const { server, cluster, cache } = cacheOf(unavailable);
  await cache.renderedIfDue("rendered-1", cluster);
  server.answer = forbidden;
  await cache.renderedIfDue("rendered-1", cluster);
  server.answer = found;
  expect(await cache.rendered("rendered-1", cluster)).toBeDefined();
  expect(server.asked).toBe(3);
});
