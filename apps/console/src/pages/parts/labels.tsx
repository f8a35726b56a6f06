// Labels for states. Each has an icon and a word, so that the meaning never depends on color alone.

import { Label, type LabelProps } from "@patternfly/react-core";
import {
  BanIcon,
  CheckCircleIcon,
  ExclamationCircleIcon,
  ExclamationTriangleIcon,
  HourglassHalfIcon,
  InProgressIcon,
  OutlinedCircleIcon,
  PauseCircleIcon,
  PendingIcon,
  RebootingIcon,
  SyncAltIcon,
} from "@patternfly/react-icons";
import type { NodeRolloutPhase, Phase, Severity } from "@virt/api";
import type { AssetState } from "@virt/cluster";
import { phaseWord } from "@virt/views";
import type { ComponentType } from "react";
import { strings } from "../strings.ts";

type LabelStyle = { readonly icon: ComponentType; readonly color: NonNullable<LabelProps["color"]> };

const phaseStyles: Readonly<Record<Phase, LabelStyle>> = {
  Pending: { icon: PendingIcon, color: "grey" },
  Drafting: { icon: InProgressIcon, color: "blue" },
  PrerequisiteFailed: { icon: ExclamationTriangleIcon, color: "orange" },
  ReviewRequired: { icon: HourglassHalfIcon, color: "purple" },
  InProgress: { icon: SyncAltIcon, color: "blue" },
  Completed: { icon: CheckCircleIcon, color: "green" },
  CompletedWithErrors: { icon: ExclamationTriangleIcon, color: "orange" },
  CompletedWithUpgrade: { icon: CheckCircleIcon, color: "teal" },
  Failed: { icon: ExclamationCircleIcon, color: "red" },
  Drifted: { icon: ExclamationTriangleIcon, color: "orange" },
  Ignored: { icon: BanIcon, color: "grey" },
};

const stuckStyle: LabelStyle = { icon: ExclamationCircleIcon, color: "red" };

type PhaseLabelProps = { readonly phase: Phase | undefined; readonly isStalled: boolean };

export function PhaseLabel({ phase, isStalled }: PhaseLabelProps) {
  const style = phase === undefined ? undefined : phaseStyles[phase];
  const { icon: Icon, color } = isStalled ? stuckStyle : (style ?? { icon: PendingIcon, color: "grey" as const });
  return (
    <Label color={color} icon={<Icon />}>
      {phaseWord({ isStalled, ...(phase && { phase }) }) ?? strings.noPhase}
    </Label>
  );
}

const severityColors: Readonly<Record<Severity, LabelStyle["color"]>> = { Low: "grey", Medium: "yellow", High: "red" };

export function SeverityLabel({ severity }: { readonly severity: Severity }) {
  const Icon =
    severity === "High" ? ExclamationCircleIcon : severity === "Medium" ? ExclamationTriangleIcon : CheckCircleIcon;
  return (
    <Label color={severityColors[severity] ?? "grey"} icon={<Icon />} isCompact>
      {severity}
    </Label>
  );
}

export const nodeStyles: Readonly<Record<NodeRolloutPhase, LabelStyle>> = {
  Degraded: { icon: ExclamationCircleIcon, color: "red" },
  Waiting: { icon: OutlinedCircleIcon, color: "grey" },
  Uncordoning: { icon: InProgressIcon, color: "blue" },
  Done: { icon: CheckCircleIcon, color: "green" },
  Rebooting: { icon: RebootingIcon, color: "blue" },
  Draining: { icon: InProgressIcon, color: "orange" },
  Applying: { icon: SyncAltIcon, color: "blue" },
};

const assetStyles: Readonly<Record<AssetState, LabelStyle>> = {
  "In sync": { icon: CheckCircleIcon, color: "green" },
  Drifted: { icon: SyncAltIcon, color: "orange" },
  Contested: { icon: ExclamationTriangleIcon, color: "orange" },
  "On hold": { icon: HourglassHalfIcon, color: "orange" },
  Paused: { icon: PauseCircleIcon, color: "purple" },
  Unmanaged: { icon: BanIcon, color: "grey" },
  "Not applicable": { icon: OutlinedCircleIcon, color: "grey" },
  Failed: { icon: ExclamationCircleIcon, color: "red" },
};

type AssetStateLabelProps = { readonly state: AssetState; readonly count?: number; readonly href?: string };

export function AssetStateLabel({ state, count, href }: AssetStateLabelProps) {
  const { icon: Icon, color } = assetStyles[state];
  return (
    <Label color={count === 0 ? "grey" : color} icon={<Icon />} {...(href !== undefined && { href })}>
      {count === undefined ? state : `${count} ${state}`}
    </Label>
  );
}
