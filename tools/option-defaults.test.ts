import { expect, test } from "vitest";
import { readConsoleOptions } from "./option-defaults.ts";

test("every option has a default or a source in the plan", async () => {
  const { defaults } = await readConsoleOptions();
  const options = Object.values(defaults).flatMap((known) => Object.entries(known));
  const unexplained = options.filter(([, option]) => option.default === null && option.derived === undefined);
  expect(options).not.toEqual([]);
  expect(unexplained.map(([name]) => name)).toEqual([]);
});

test("lists the options whose values are strings, also below objects", async () => {
  const { texts } = await readConsoleOptions();
  expect(texts["load-aware-rebalancing"]).toEqual(["mode", "devDeviationThresholds"]);
  expect(texts["vm-high-availability"]).toEqual(
    expect.arrayContaining(["minHealthy", "fenceAgentsTemplate.name", "fenceAgentsTemplate.namespace"]),
  );
});
