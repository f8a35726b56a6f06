// The man page, from the same table as the help.

import { exitCodeWords } from "./arguments.ts";
import type { CliFlags } from "./verb.ts";
import { globalFlags, verbs } from "./verbs.ts";

/** In the macros of man(7). The same for the same version: it carries no date. */
export function writeManPage(version: string): string {
  const verbParts = verbs.flatMap(({ name, takes, description, flags, examples }) => [
    `.SS ${escape(takes === undefined ? name : `${name} ${takes}`)}`,
    escape(description),
    ...flagParts(flags),
    ".PP",
    "Such as:",
    ...examples.flatMap((example) => [".br", `.B kubectl virt-advisor ${escape(example)}`]),
  ]);
  return [
    `.TH KUBECTL-VIRT_ADVISOR 1 "" "virt-advisor ${escape(version)}" "User Commands"`,
    ".SH NAME",
    `kubectl-virt_advisor ${escape("-")} plan, review and follow the configuration of OpenShift Virtualization and KubeVirt`,
    ".SH SYNOPSIS",
    ".B kubectl virt-advisor",
    ".I VERB",
    "[flags]",
    ".SH DESCRIPTION",
    "Works with your kubeconfig and your rights alone. Data goes to standard output, progress to standard error.",
    ".SH VERBS",
    ...verbParts,
    ".SH FLAGS OF EVERY VERB",
    ...flagParts(globalFlags),
    ".SH EXIT STATUS",
    ...exitCodeWords.flatMap((words) => {
      const [code = "", ...meaning] = words.split(" ");
      return [".TP", `.B ${code}`, escape(meaning.join(" "))];
    }),
    ".SH ENVIRONMENT",
    ".TP",
    ".B KUBECONFIG",
    "the kubeconfig, or several with colons between them",
    ".TP",
    ".B NO_COLOR",
    "no colours, whatever the terminal can do",
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

/** A backslash, a hyphen, and a dot or quote at the start of a line mean something to the formatter. */
function escape(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^(?=[.'])/u, "\\&");
}
