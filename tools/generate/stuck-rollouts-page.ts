// Generates docs/stuck-rollouts.md: every rollout finding with its cause, remedy and command.

import { type CatalogueEntry, findingCatalogue, findingRemedies, showTemplate } from "@virt/impact";
import { code, line } from "./markdown.ts";

export function stuckRolloutsPage(): string {
  const entries = Object.entries<CatalogueEntry>(findingCatalogue);
  return [
    "# Stuck rollouts",
    "",
    "If a plan runs but your nodes do not change, use this page to find the cause and the remedy.",
    "",
    "Generated from the catalog of findings in `packages/impact/src/doctor` (`make generate`).",
    "",
    "While a plan changes MachineConfigs, the advisor watches the affected nodes, their VMs, and their migrations. `status.rollout` shows the",
    "progress of each node. For each finding, it shows the cause, the start time, and the command to run. If a finding is blocking, the",
    "condition Stalled is True with the reason `RolloutStuck`. Its message contains the finding and, after `Next:`, the command. When the cause",
    "is resolved, the advisor removes the finding and resets the condition.",
    "",
    "Some findings have several options, such as to change a VM or to stop it. The command of such a finding changes nothing: it shows the",
    "object. The condition, the console and `kubectl virt-advisor doctor`, also with `-o json`, list the options with their consequences, least",
    "disruptive first.",
    "",
    "```sh",
    'kubectl get vpconf -o jsonpath=\'{range .items[*].status.rollout.findings[*]}{.severity}{"  "}{.message}{"  "}{.command}{"\\n"}{end}\'',
    "```",
    "",
    "`status.rollout.notAssessed` lists the kinds that the advisor cannot read, such as VMs, with [the reason](impact.md). Missing data can hide",
    "findings: while this list has entries, a rollout without findings may still be blocked. The console and `status` show these kinds too.",
    "",
    "Each finding has a severity:",
    "",
    "- *blocking*: the rollout cannot continue until you act.",
    "- *warning*: check the cause. You may need to act.",
    "- *info*: no action is needed.",
    "",
    "The advisor reports a finding when its cause has lasted, without interruption, for the time in the column *reported after*. Messages and",
    "commands use these placeholders: `<p>` is a pool, `<n>` a node, `<v>` a VM with its namespace, and `<hco>` the namespace of the",
    "HyperConverged. In options, `<name>` is the object and `<ns>` its namespace. Messages of other programs are truncated to 160 characters and",
    "are never part of a command.",
    "",
    line("finding", "severity", "reported after", "message"),
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
  return ageText ?? ages.map(({ seconds }) => (seconds === 0 ? "immediately" : `${seconds / 60} min`)).join(", then ");
}

function section(id: string, entry: CatalogueEntry): readonly string[] {
  return [
    `## ${id}`,
    "",
    code(showTemplate(entry.message)),
    "",
    `- **Detected by**: ${entry.detected}`,
    `- **Cause**: ${entry.cause}`,
    `- **Remedy**: ${entry.remedy}`,
    ...commandLine(entry),
    ...optionLines(id),
    "",
  ];
}

const example = { kind: "", namespace: "name-of-namespace", name: "name-of-object" };

function optionLines(id: string): readonly string[] {
  const options = findingRemedies({ id, object: example }).map(({ text, consequence, command }, at) => {
    const typed = command?.replace(example.namespace, "<ns>").replace(example.name, "<name>");
    return `  ${at + 1}. ${text} ${consequence}${typed === undefined ? "" : ` Command: ${code(typed)}`}`;
  });
  return options.length === 0 ? [] : ["- **Options**, least disruptive first:", ...options];
}

function commandLine({ command }: CatalogueEntry): readonly string[] {
  if (command === "none") return [];
  return [
    `- **Command**: ${command === undefined ? "Run `oc describe` for the object that the finding names" : code(command)}`,
  ];
}
