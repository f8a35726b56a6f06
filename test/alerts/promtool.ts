// Runs promtool, Prometheus' own check of rules and metrics.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { advisorAlerts, platformAlerts, rulesFor } from "@virt/catalog";
import { onTestFinished } from "vitest";
import { obtainProgram } from "../../tools/test-tools/obtain.ts";
import { promtool } from "../../tools/test-tools/pins.ts";

/** The rules of both controllers, as Prometheus reads them. */
export const rules = {
  groups: [
    ...rulesFor("virt-advisor-operator", advisorAlerts).groups,
    ...rulesFor("virt-platform-operator", platformAlerts).groups,
  ],
};

export type PromtoolResult = { readonly code: number; readonly output: string };

/** Files are written as JSON, which is YAML, unless they are text. */
export function runPromtool(
  args: readonly string[],
  { files = {}, input = "" }: { readonly files?: Readonly<Record<string, unknown>>; readonly input?: string } = {},
): PromtoolResult {
  const folder = mkdtempSync(join(tmpdir(), "promtool-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), JSON.stringify(content));
  const { status, stdout, stderr } = spawnSync(obtainProgram(promtool), args, { cwd: folder, input, encoding: "utf8" });
  return { code: status ?? -1, output: `${stdout}${stderr}` };
}
