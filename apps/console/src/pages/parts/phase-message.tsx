// Shows the advisor's message in phases that require user action: PrerequisiteFailed and Failed.

import { Alert } from "@patternfly/react-core";
import type { Phase, VirtPlatformConfig } from "@virt/api";
import { foreignText } from "@virt/views";
import { strings } from "../strings.ts";

const variants: Readonly<Partial<Record<Phase, "warning" | "danger">>> = {
  PrerequisiteFailed: "warning",
  Failed: "danger",
  CompletedWithErrors: "warning",
};

const longest = 2_000;

export function PhaseMessage({ config }: { readonly config: VirtPlatformConfig }) {
  const { phase, conditions = [] } = config.status ?? {};
  const variant = phase === undefined ? undefined : variants[phase];
  const said = conditions.find(({ type }) => type === phase)?.message ?? "";
  if (variant === undefined || phase === undefined || said === "") return null;
  return (
    <Alert isInline variant={variant} title={strings.phaseTitles[phase] ?? phase} className="vc-phase-message">
      {foreignText(said, longest)}
    </Alert>
  );
}
