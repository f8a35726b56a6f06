import { expect, test } from "vitest";
import { objectPaths, sharePlatform } from "../support/running-platform.ts";

const { check } = objectPaths;
const platform = sharePlatform({ isProxied: true });

async function compliance(): Promise<string | undefined> {
  return (await platform.outputs.series('compliance_status{kind="NodeHealthCheck"'))[0]?.split(" ").at(-1);
}

test("lasting write conflicts make an object out of sync until they end", async () => {
  await expect.poll(compliance).toBe("1");
  const writes = { on: "every", matching: { verb: "apply", resource: "nodehealthchecks", isDryRun: false } } as const;
  platform.proxy.arm({ name: "always too late", trigger: writes, fault: { kind: "answer", status: 409 } });
  await platform.edit(check, { spec: { minHealthy: "10%" } });
  await platform.until(async () => expect(await compliance()).toBe("0"));
  const lines = () => platform.operator.log.filter(({ msg }) => msg === "reconciliation failed");
  await expect.poll(() => lines().map(({ why }) => why)).toContain("the object was modified concurrently");
  expect(lines().every(({ times }) => Number(times) >= 3)).toBe(true); // reported from the third time on
  platform.proxy.disarm();
  await platform.until(async () => expect(await platform.specOf(check, "minHealthy")).toBe("51%"));
  await expect.poll(compliance).toBe("1");
});
