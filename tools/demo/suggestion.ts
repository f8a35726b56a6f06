// The commands that the demo suggests. With CHECK=1, it types them itself.

import type { VirtPlatformConfig } from "@virt/api";
import { blockingFinding, findingRemedies, planName } from "@virt/views";

export type Suggestion = {
  readonly command: string;
  readonly about: string;
  /** Default: 0. */
  readonly exitCode?: number;
  /** True for commands that the unattended run skips: they run until interrupted, or are an alternative to another command. */
  readonly isForPeople?: boolean;
  readonly approves?: string;
};

export const plugin = "kubectl virt-advisor";

export function planCommand(profile: string, about: string, exitCode = 2): Suggestion {
  return { command: `${plugin} plan ${profile}`, about, exitCode };
}

export function askToApprove(profile: string): Suggestion {
  return { command: `${plugin} approve ${profile}`, about: "show the plan again and approve it", isForPeople: true };
}

export function reviewCommands({ metadata: { name }, status }: VirtPlatformConfig): readonly Suggestion[] {
  const hash = planName(status?.planHash ?? "");
  return [
    { command: `${plugin} diff ${name}`, about: "review the changes", exitCode: 2 },
    { command: `${plugin} impact ${name}`, about: "review the impact on nodes and VMs" },
    { command: `${plugin} approve ${name} --hash ${hash}`, about: "approve exactly this plan", approves: name },
    { command: `${plugin} status ${name} --watch`, about: "follow the rollout", isForPeople: true },
  ];
}

/** Suggests the remedies of the blocking finding. Only the last one works on a simulated cluster. */
export function unblockCommands({ metadata: { name }, status }: VirtPlatformConfig): readonly Suggestion[] {
  const finding = blockingFinding(status?.rollout?.findings ?? []);
  const { message = "" } = finding ?? {};
  const options = finding === undefined ? [] : findingRemedies(finding);
  const command = options.at(-1)?.command ?? finding?.command ?? "";
  return [
    { command: `${plugin} doctor ${name}`, about: "show what is blocking the rollout", exitCode: 6 },
    { command, about: message },
  ];
}

export function editCommand(object: string, spec: object, about: string, flags = ""): Suggestion {
  const command = `kubectl patch ${object} --type=merge${flags} -p '${JSON.stringify({ spec })}'`;
  return { command, about };
}
