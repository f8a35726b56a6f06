import { readFileSync } from "node:fs";
import { inRepository } from "@virt/testkit";

export const sections = ["Meaning", "Impact", "Diagnosis", "Mitigation"] as const;

export type Runbook = {
  readonly headings: readonly string[];
  readonly diagnosis: string;
  readonly mitigation: string;
  /** Each block separately, with the variables of the page. */
  readonly mitigationSteps: readonly string[];
  /** Commands that need a kubelet, which no test has. */
  readonly clusterOnly: readonly string[];
};

export function readRunbook(alert: string): Runbook {
  const page = readFileSync(inRepository("docs", "runbooks", `${alert}.md`), "utf8");
  const [, ...parts] = page.split(/^## /m);
  const section = (name: string) => parts.find((part) => part.startsWith(`${name}\n`)) ?? "";
  const [diagnosis, mitigation] = [section("Diagnosis"), section("Mitigation")].map((text) => commands(text, ""));
  const variables = [...page.matchAll(/^(?:[A-Z]+=\S+ ?)+$/gm)].map(([line]) => line);
  return {
    headings: parts.map((part) => part.split("\n")[0] ?? ""),
    diagnosis: lines(diagnosis),
    mitigation: lines([...variables, ...(mitigation ?? [])]),
    mitigationSteps: (mitigation ?? []).map((step) => lines([...variables, step])),
    clusterOnly: commands(page, " cluster"),
  };
}

/** Returns the blocks with this mark, without the indentation of an enclosing list. */
function commands(text: string, mark: string): readonly string[] {
  const blocks = [...text.matchAll(/^( *)```bash([^\n]*)\n([\s\S]*?)^ *```$/gm)];
  return blocks
    .filter(([, , marked]) => marked === mark)
    .map(([, indent = "", , block = ""]) => block.replaceAll(new RegExp(`^${indent}`, "gm"), ""));
}

function lines(blocks: readonly string[] = []): string {
  return ["set -e", ...blocks].join("\n");
}
