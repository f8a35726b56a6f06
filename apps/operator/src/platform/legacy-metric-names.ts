// Exposes the platform controller's metrics also under the names that they had before virt-platform-autopilot used them.

import { metricPrefixes } from "@virt/api";
import type { MetricsSource } from "@virt/kube";

const legacyPrefix = "kubevirt_autopilot_";

/** Later metrics never had an old name, so this list does not grow. */
const renamed: ReadonlySet<string> = new Set([
  "active",
  "admission_policy_in_force",
  "breaker_open",
  "breaker_openings_total",
  "build_info",
  "compliance_status",
  "contested_fields",
  "customization_info",
  "events_lost_total",
  "events_written_total",
  "excluded_assets",
  "held_resources",
  "invalid_override",
  "leader",
  "missing_dependency",
  "paused_resources",
  "reconcile_duration_seconds",
  "requests_total",
  "thrashing_total",
  "tombstone_status",
  "watch_age_seconds",
  "watch_list_age_seconds",
  "watch_probe_age_seconds",
]);

const line = new RegExp(`^(# (?:HELP|TYPE) )?${metricPrefixes.platform}(\\w+)`);

/** Adds the renamed metrics with the same values under their old names. */
export function addLegacyNames(source: MetricsSource): MetricsSource {
  return {
    contentType: source.contentType,
    metrics: async () => {
      const text = await source.metrics();
      return `${text}${text.split("\n").flatMap(underLegacyName).join("")}`;
    },
  };
}

function underLegacyName(written: string): readonly string[] {
  const [start = "", comment = "", suffix = ""] = line.exec(written) ?? [];
  const isRenamed = renamed.has(suffix) || renamed.has(suffix.replace(/_(?:bucket|sum|count)$/, ""));
  return isRenamed ? [`${comment}${legacyPrefix}${suffix}${written.slice(start.length)}\n`] : [];
}
