import { expect, test } from "vitest";
import { untilConverged } from "../support/full-cluster.ts";
import { sharePlatform } from "../support/running-platform.ts";

const platform = sharePlatform({ isProxied: true, until: "prepared" });

const definitions = "customresourcedefinitions";
const asked = () =>
  platform.proxy.trace().filter(({ verb, resource }) => verb === "get" && resource === definitions).length;

test("applies nothing while schemas are unreadable, and everything afterwards", async () => {
  platform.proxy.arm({
    name: "no definitions",
    trigger: { on: "every", matching: { verb: "get", resource: definitions } },
    fault: { kind: "answer", status: 500 },
  });
  await platform.start();
  await platform.until(async () => expect(asked()).toBeGreaterThan(4));
  expect(
    platform.targets.flatMap(({ path }) => platform.requests(path)).filter(({ verb }) => verb === "patch"),
  ).toEqual([]);
  platform.proxy.disarm();
  await untilConverged(platform);
});
