import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { advisorAlerts, platformAlerts, rulesFor } from "@virt/catalog";
import { onTestFinished } from "vitest";
import { obtainProgram } from "../../tools/test-tools/obtain.ts";
import { promtool } from "../../tools/test-tools/pins.ts";

export const rules = {
  groups: [
    ...rulesFor("virt-advisor-operator", advisorAlerts).groups,
    ...rulesFor("virt-platform-operator", platformAlerts).groups,
  ],
};

export type PromtoolResult = { readonly code: number; readonly output: string };

/** Writes files as JSON, which is valid YAML, unless they are strings. */
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
