// The descheduler profiles of each generation, and the combinations that its rules forbid.

import type { Field } from "../subject.ts";

/**
 * 4.17 has no KubeVirt profile and looser rules. 4.18 and 4.19 have the developer preview, 4.21 and later the final
 * profile.
 */
export type Age = "before" | "preview" | "now";

const preview = "DevKubeVirtRelieveAndMigrate";
const current = "KubeVirtRelieveAndMigrate";
const common = [
  "AffinityAndTaints",
  "TopologyAndDuplicates",
  "LifecycleAndUtilization",
  "DevPreviewLongLifecycle",
  "LongLifecycle",
  "SoftTopologyAndDuplicates",
  "EvictPodsWithLocalStorage",
  "EvictPodsWithPVC",
  "CompactAndScale",
];
const profilesOf = { before: common, preview: [...common, preview], now: [...common, preview, current] };

const longRunning = ["DevPreviewLongLifecycle", "LongLifecycle"];
const forbiddenPairs = [
  ...[...longRunning, preview, current].map((profile) => ["LifecycleAndUtilization", profile]),
  ...longRunning.flatMap((profile) => [preview, current].map((kubeVirt) => [profile, kubeVirt])),
  [preview, current],
  ["SoftTopologyAndDuplicates", "TopologyAndDuplicates"],
  ...[
    "LifecycleAndUtilization",
    "LongLifecycle",
    "DevPreviewLongLifecycle",
    preview,
    current,
    "TopologyAndDuplicates",
  ].map((profile) => ["CompactAndScale", profile]),
];

export function profileField(age: Age): Field {
  const known = profilesOf[age];
  const pairs = known.flatMap((one, index) => known.slice(index + 1).map((other) => [one, other]));
  const isForbidden = ([one, other]: readonly (string | undefined)[]) =>
    age === "now" && forbiddenPairs.some((pair) => pair.includes(one ?? "") && pair.includes(other ?? ""));
  const unknown = profilesOf.now.filter((profile) => !known.includes(profile));
  const twice = ["AffinityAndTaints", "AffinityAndTaints"];
  const twelve = Array.from({ length: 12 }, () => "AffinityAndTaints");
  return {
    path: "spec.profiles",
    isRuled: age === "now",
    good: [[], ...pairs.filter((pair) => !isForbidden(pair)), ...(age === "now" ? [] : [twice, twelve])],
    bad: [
      [""],
      ["Other"],
      ...unknown.map((profile) => [profile]),
      ...pairs.filter(isForbidden),
      ...(age === "now" ? [twice, twelve] : []),
    ],
  };
}

export const ownProfile: Readonly<Record<Age, string>> = { before: "LongLifecycle", preview, now: current };
