// docs/stuck-rollouts.md: every finding about a rollout with its cause, its remedy and its command, from the catalogue.

import { type CatalogueEntry, findingCatalogue, showTemplate } from "@virt/impact";
import { code, line } from "./markdown.ts";

export function stuckRolloutsPage(): string {
  const entries = Object.entries<CatalogueEntry>(findingCatalogue);
  return [
    "# Rollouts that are stuck",
    "",
    "For administrators whose nodes do not change although a plan runs: what may hold a rollout, and what to do about it.",
    "Generated from the catalogue of findings in `packages/impact/src/doctor` (`make generate`).",
    "",
    "While a plan changes MachineConfigs, the advisor watches its nodes, their VMs and migrations. `status.rollout` shows how far each",
    "node is, what holds it, since when, and which command helps. With a blocking finding the condition Stalled is True with the reason",
    "`RolloutStuck`: its message is the finding, and after `Next:` the command. When the cause is gone, both turn back by themselves.",
    "",
    "```sh",
    'kubectl get vpconf -o jsonpath=\'{range .items[*].status.rollout.findings[*]}{.severity}{"  "}{.message}{"  "}{.command}{"\\n"}{end}\'',
    "```",
    "",
    "`status.rollout.notAssessed` lists the kinds that the advisor cannot read, such as VMs, with [the reason](impact.md). Missing data may hide",
    "findings: while a kind is listed there, a rollout without findings may still be blocked. The console and `status` list these kinds too.",
    "",
    "A finding is *blocking* if a person must act, a *warning* if one should look, and *info* otherwise. It is reported from its age on: the",
    "time for which its cause is there without a break. In messages and commands `<p>` is a pool, `<n>` a node, `<v>` a VM with its namespace,",
    "`<hco>` the namespace of the HyperConverged. Texts of other programs are cut to 160 characters and are never part of a command.",
    "",
    line("finding", "severity", "age", "message"),
    "|---|---|---|---|",
    ...entries.map(([id, entry]) =>
      line(`[${id}](#${id.toLowerCase()})`, severityOf(entry), ageOf(entry), code(showTemplate(entry.message))),
    ),
    "",
    ...entries.flatMap(([id, entry]) => section(id, entry)),
  ].join("\n");
}

function severityOf({ ages }: CatalogueEntry): string {
  return ages.map(({ severity }) => severity).join(", then ");
}

function ageOf({ ages, ageText }: CatalogueEntry): string {
  return ageText ?? ages.map(({ seconds }) => (seconds === 0 ? "at once" : `${seconds / 60} min`)).join(", then ");
}

function section(id: string, entry: CatalogueEntry): readonly string[] {
  return [
    `## ${id}`,
    "",
    code(showTemplate(entry.message)),
    "",
    `- **Seen by**: ${entry.detected}`,
    `- **Cause**: ${entry.cause}`,
    `- **Remedy**: ${entry.remedy}`,
    ...commandLine(entry),
    "",
  ];
}

function commandLine({ command }: CatalogueEntry): readonly string[] {
  if (command === "none") return [];
  return [
    `- **Command**: ${command === undefined ? "`oc describe` of the object that the finding names" : code(command)}`,
  ];
}
