import { type Alert, last, noLeader } from "./alert.ts";

const metric = (name: string, labels?: string) => last("platform", name, labels);
const object = "{{ $labels.kind }} {{ $labels.namespace }}/{{ $labels.name }}";

/** The alerts, in the order of the runbooks. Asset `prometheus-alerts` applies them while the controller is active. */
export const platformAlerts: readonly Alert[] = [
  {
    alert: "VirtPlatformSyncFailed",
    expr: `${metric("compliance_status")} == 0`,
    lasting: "15m",
    severity: "warning",
    impact: "critical",
    summary: "A golden object of the virtualization platform cannot be applied.",
    description: `${object} has not been in its golden state for 15 minutes because applying it fails.`,
  },
  {
    alert: "VirtPlatformThrashingDetected",
    expr: `${metric("paused_resources", 'reason!="manual"')} > 0`,
    lasting: "1m",
    severity: "warning",
    impact: "warning",
    summary: "Another client keeps reverting a golden object, so its management is paused.",
    description: `${object} is paused ({{ $labels.reason }}): another client keeps changing what virt-platform-operator applies. The object stays unchanged until an administrator resolves the conflict.`,
  },
  {
    alert: "VirtPlatformDependencyMissing",
    expr: `${metric("missing_dependency")} == 1`,
    lasting: "5m",
    severity: "warning",
    impact: "warning",
    summary: "An enabled feature requires an operator that is not installed.",
    description:
      "{{ $labels.kind }} ({{ $labels.group }}/{{ $labels.version }}) is not served, so an enabled feature is not configured.",
  },
  {
    alert: "VirtPlatformInvalidOverride",
    expr: `${metric("invalid_override")} == 1`,
    lasting: "10m",
    severity: "warning",
    impact: "none",
    summary: "An annotation that overrides a golden object is invalid.",
    description: `${object} has an invalid {{ $labels.type }} annotation. The object is on hold, neither corrected nor pruned, until the annotation is corrected or removed.`,
  },
  {
    alert: "VirtPlatformTombstoneStuck",
    expr: `${metric("tombstone_status")} < 0`,
    lasting: "30m",
    severity: "warning",
    impact: "none",
    summary: "An object from an earlier release could not be removed.",
    description: `${object} is no longer part of the platform, but its deletion fails or is skipped.`,
  },
  {
    alert: "VirtPlatformContested",
    expr: `${metric("contested_fields")} > 0`,
    lasting: "1h",
    severity: "info",
    impact: "none",
    summary: "Other clients set fields of a golden object, and the operator leaves them unchanged.",
    description: `{{ $value }} field(s) of ${object} differ from the golden state because other clients set them.`,
  },
  noLeader("VirtPlatformDown", "platform"),
];
