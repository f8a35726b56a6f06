// Reads the state of both platform operators for `status`.

import { asText, at, readJson } from "@virt/objects";
import { findReports } from "@virt/reads";
import { combinedStateText, type PlatformOperators, platformOperators } from "@virt/views";
import { type Block, textBlock } from "./blocks.ts";
import type { ClusterSession } from "./cluster-session.ts";

/** Undefined without a readable report of the platform controller. */
export async function readPlatformOperators(
  { client }: ClusterSession,
  signal: AbortSignal,
): Promise<PlatformOperators | undefined> {
  const [report] = (await findReports(client, signal)).reports;
  try {
    return report && platformOperators(readJson(asText(at(report, "data", "report.json")) ?? ""));
  } catch {
    return undefined;
  }
}

/** Returns the combined state. Empty without virt-platform-autopilot. */
export function platformOperatorBlocks(operators: PlatformOperators | undefined): readonly Block[] {
  const text = operators && combinedStateText(operators);
  return text === undefined ? [] : [textBlock(text)];
}
