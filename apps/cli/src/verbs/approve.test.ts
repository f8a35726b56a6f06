import type { VirtPlatformConfig } from "@virt/api";
import { expect, test } from "vitest";
import { ignoredLines } from "./approve.ts";

const config = (phase: string) =>
  ({
    metadata: { name: "load-aware" },
    spec: { profile: "load-aware", action: "Apply" },
    status: { phase },
  }) as unknown as VirtPlatformConfig;

test("ignoring a running plan warns that its MachineConfigs reach all nodes", () => {
  expect(ignoredLines(config("InProgress")).flat()).toContain(
    "! A MachineConfig that is already written rolls out to all nodes of its pools. To stop that, pause the pools.",
  );
  expect(ignoredLines(config("Completed"))).toHaveLength(1);
});
