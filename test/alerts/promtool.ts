// Prometheus' own judge of rules and metrics.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { advisorAlerts, platformAlerts, rulesFor } from "@virt/catalog";
import { onTestFinished } from "vitest";
import { obtainProgram } from "../../tools/judges/obtain.ts";
import { promtool } from "../../tools/judges/pins.ts";

/** The rules of both controllers, as Prometheus reads them. */
export const rules = {
  groups: [
    ...rulesFor("virt-advisor-operator", advisorAlerts).groups,
    ...rulesFor("virt-platform-operator", platformAlerts).groups,
  ],
};

export type Judged = { readonly code: number; readonly said: string };

/** Files are written as JSON, which is YAML, unless they are text. */
export function judge(
  args: readonly string[],
  { files = {}, input = "" }: { readonly files?: Readonly<Record<string, unknown>>; readonly input?: string } = {},
): Judged {
  const folder = mkdtempSync(join(tmpdir(), "promtool-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), JSON.stringify(content));
  const { status, stdout, stderr } = spawnSync(obtainProgram(promtool), args, { cwd: folder, input, encoding: "utf8" });
  return { code: status ?? -1, said: `${stdout}${stderr}` };
}
