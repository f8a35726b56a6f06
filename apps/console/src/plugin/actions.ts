// Adds the Approve… action to VirtPlatformConfigs in the OpenShift console. It opens the plan for review.

import type { VirtPlatformConfig } from "@virt/api";
import { useMemo } from "react";
import { advisorPath } from "./advisor-path.ts";
import { pluginStrings } from "./plugin-strings.ts";

type ConsoleAction = {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  readonly cta: { readonly href: string };
  readonly disabled: boolean;
  readonly disabledTooltip: string;
};

export function useConfigActions(config: VirtPlatformConfig): readonly [readonly ConsoleAction[], boolean, undefined] {
  const name = config.metadata?.name ?? "";
  const phase = config.status?.phase ?? "";
  const actions = useMemo(
    () => [
      {
        id: "virt-advisor-approve",
        label: pluginStrings.approve,
        description: pluginStrings.approveText,
        cta: { href: `${advisorPath}/plan/${encodeURIComponent(name)}` },
        disabled: phase !== "ReviewRequired",
        disabledTooltip: pluginStrings.nothingToApprove(phase),
      },
    ],
    [name, phase],
  );
  return [actions, true, undefined];
}
