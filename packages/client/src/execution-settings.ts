// The settings that say how a plan is executed. They are part of the plan that an approval names.

import type { Guards, Spec } from "@virt/api";

/** `value` is for people. `weakens` is the consequence of a value that takes a safeguard away; absent for all others. */
export type ExecutionSetting = { readonly name: string; readonly value: string; readonly weakens?: string };

/** Returns all four settings, those with their defaults too, so that a reader of the plan sees what an approval covers. */
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

/** Returns the settings in one line, such as `failurePolicy Abort, bypassOptimisticLock false, waitTimeout none, guards none`. */
export function executionText(spec: Parameters<typeof executionSettings>[0]): string {
  return executionSettings(spec)
    .map(({ name, value, weakens }) => `${name} ${value}${weakens === undefined ? "" : ` (${weakens})`}`)
    .join(", ");
}
