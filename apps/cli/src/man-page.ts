import { exitCodeWords } from "./arguments.ts";
import type { CliFlags } from "./verb.ts";
import { globalFlags, verbs } from "./verbs.ts";

/** Uses man(7) macros. Contains no date, so that builds of the same version are identical. */
export function writeManPage(version: string): string {
  const verbParts = verbs.flatMap(({ name, takes, description, flags, examples }) => [
    `.SS ${escape(takes === undefined ? name : `${name} ${takes}`)}`,
    escape(description),
    ...flagParts(flags),
    ".PP",
    "Examples:",
    ...examples.flatMap((example) => [".br", `.B kubectl virt-advisor ${escape(example)}`]),
  ]);
  return [
    `.TH KUBECTL-VIRT_ADVISOR 1 "" "virt-advisor ${escape(version)}" "User Commands"`,
    ".SH NAME",
    `kubectl-virt_advisor ${escape("-")} plan and review configuration changes of OpenShift Virtualization and KubeVirt, and follow their rollout`,
    ".SH SYNOPSIS",
    ".B kubectl virt-advisor",
    ".I VERB",
    "[flags]",
    ".SH DESCRIPTION",
    "Uses only your kubeconfig and your permissions. Data goes to standard output, and progress goes to standard error.",
    ".SH VERBS",
    ...verbParts,
    ".SH GLOBAL FLAGS",
    ...flagParts(globalFlags),
    ".SH EXIT STATUS",
    ...exitCodeWords.flatMap((words) => {
      const [code = "", ...meaning] = words.split(" ");
      return [".TP", `.B ${code}`, escape(meaning.join(" "))];
    }),
    ".SH ENVIRONMENT",
    ".TP",
    ".B KUBECONFIG",
    "the kubeconfig file, or a list of files separated by colons",
    ".TP",
    ".B NO_COLOR",
    "if set, disables colors",
    ".SH SEE ALSO",
    ".BR kubectl (1)",
    "",
  ].join("\n");
}

function flagParts(flags: CliFlags): readonly string[] {
  return Object.entries(flags).flatMap(([name, { value, short, help }]) => {
    const long = value === undefined ? `--${name}` : `--${name} ${value}`;
    return [".TP", `.B ${escape(short === undefined ? long : `-${short}, ${long}`)}`, escape(help)];
  });
}

function escape(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^(?=[.'])/u, "\\&");
}
