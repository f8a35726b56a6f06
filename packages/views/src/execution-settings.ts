// The settings that control how a plan is executed. They are part of the approved plan.

import type { Guards, Spec } from "@virt/api";

/** `weakens` describes the risk of a value that removes a safeguard. Absent for all other values. */
export type ExecutionSetting = { readonly name: string; readonly value: string; readonly weakens?: string };

/** Returns all four settings with their defaults, so that reviewers see everything that an approval covers. */
export function executionSettings({
  failurePolicy,
  bypassOptimisticLock,
  waitTimeout,
  guards = {},
}: Pick<Spec, "failurePolicy" | "bypassOptimisticLock" | "waitTimeout" | "guards">): readonly ExecutionSetting[] {
  return [
    { name: "failurePolicy", value: failurePolicy },
    {
      name: "bypassOptimisticLock",
      value: String(bypassOptimisticLock),
      ...(bypassOptimisticLock && { weakens: "changed targets are overwritten, and drift is corrected automatically" }),
    },
    { name: "waitTimeout", value: waitTimeout ?? "none" },
    { name: "guards", value: guardsText(guards) },
  ];
}

function guardsText(guards: Guards): string {
  const set = Object.entries(guards).filter(([, value]) => value !== undefined);
  return set.map(([name, value]) => `${name} ${value}`).join(", ") || "none";
}

/** Returns one line, such as `failurePolicy Abort, bypassOptimisticLock false, waitTimeout none, guards none`. */
export function executionText(spec: Parameters<typeof executionSettings>[0]): string {
  return executionSettings(spec)
    .map(({ name, value, weakens }) => `${name} ${value}${weakens === undefined ? "" : ` (${weakens})`}`)
    .join(", ");
}
