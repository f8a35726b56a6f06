// Generates shell completion scripts. kubectl runs `kubectl_complete-virt_advisor` to complete the plugin's arguments.

import { globalFlags, verbs } from "./verbs.ts";

export const completionShells = ["bash", "zsh", "fish"] as const;
export type CompletionShell = (typeof completionShells)[number];

const program = "kubectl-virt_advisor";
/** Lists names from the cluster. Prints nothing if the cluster does not respond, so that the prompt stays clean. */
const listNames = (verb: "profiles" | "assets") =>
  `${program} ${verb} -o name --request-timeout 2s 2>/dev/null | sed 's|.*/||'`;

function namesFor(takes = ""): string | undefined {
  if (takes.includes("NAME")) return listNames("profiles");
  return takes.includes("ASSET") ? listNames("assets") : undefined;
}

export function completionScript(shell: CompletionShell): string {
  switch (shell) {
    case "bash":
      return bashScript();
    case "zsh":
      return `#compdef ${program}\nautoload -U +X bashcompinit && bashcompinit\n${bashScript()}`;
    case "fish":
      return fishScript();
  }
}

function bashScript(): string {
  const longFlags = (flags: object) =>
    Object.keys(flags)
      .map((name) => `--${name}`)
      .join(" ");
  const cases = verbs.map(({ name, flags, takes }) => {
    const list = namesFor(takes);
    const words = list !== undefined ? `$(${list})` : name === "completion" ? completionShells.join(" ") : "";
    return `    ${name}) words="${words}" flags="${longFlags(flags)}" ;;`;
  });
  return [
    `# bash completion of ${program}; load it with: source <(${program} completion bash)`,
    "_kubectl_virt_advisor() {",
    '  local current="${COMP_WORDS[COMP_CWORD]}" verb="" words="" flags="" word',
    '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
    '    case "$word" in -*) ;; *) verb="$word"; break ;; esac',
    "  done",
    '  case "$verb" in',
    `    "") words="${verbs.map(({ name }) => name).join(" ")}" ;;`,
    ...cases,
    "  esac",
    `  [[ "$current" == -* ]] && words="$flags ${longFlags(globalFlags)}"`,
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
    "}",
    `complete -F _kubectl_virt_advisor ${program}`,
    "",
  ].join("\n");
}

function fishScript(): string {
  const quoted = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const condition = (name: string) => `-n '__fish_seen_subcommand_from ${name}'`;
  const flagLine = (
    when: string,
    name: string,
    { short, value, help }: { short?: string; value?: string; help: string },
  ) =>
    `complete -c ${program} ${when} -l ${name}${short === undefined ? "" : ` -s ${short}`}${value === undefined ? "" : " -r"} -d ${quoted(help)}`;
  return [
    `# fish completion of ${program}; load it with: ${program} completion fish | source`,
    `complete -c ${program} -f`,
    ...verbs.flatMap(({ name, summary, flags, takes }) => {
      const list = namesFor(takes);
      return [
        `complete -c ${program} -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
        ...Object.entries(flags).map(([flag, about]) => flagLine(condition(name), flag, about)),
        ...(list === undefined ? [] : [`complete -c ${program} ${condition(name)} -a ${quoted(`(${list})`)}`]),
      ];
    }),
    ...Object.entries(globalFlags).map(([flag, about]) => flagLine("", flag, about)),
    "",
  ].join("\n");
}
