import type { JsonMap } from "@virt/api";
import { asList } from "@virt/objects";
import { expect } from "vitest";
import type { RunningPlatform } from "../support/running-platform.ts";

export async function reportedChanges({ outputs }: RunningPlatform): Promise<readonly JsonMap[]> {
  return asList((await outputs.report())["hardwareChanges"]) as readonly JsonMap[];
}

export function untilWaiting(platform: RunningPlatform, names: readonly string[]): Promise<void> {
  return platform.until(async () => expect((await reportedChanges(platform)).map(({ name }) => name)).toEqual(names));
}
