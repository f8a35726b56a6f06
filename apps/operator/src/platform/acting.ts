// What is done with one object in a pass, and what became of it.

import type { KubeObject } from "@virt/api";
import type { Outcome } from "@virt/engine";
import type { Ending, Tools } from "@virt/kube";
import type { Apply, ManagedObject, ObjectMemory, Verdict } from "@virt/platform";
import type { PlatformParts } from "./parts.ts";

const permanentMs = 300_000;

/** What became of an object in a pass; the report is made of it. */
export type Kept =
  | { readonly kind: "excluded" }
  | { readonly kind: "verdict"; readonly verdict: Verdict }
  | { readonly kind: "applied"; readonly apply: Apply; readonly live: KubeObject }
  | { readonly kind: "paused-now"; readonly verdict: Extract<Verdict, { kind: "pause" }> }
  | { readonly kind: "failed"; readonly message: string; readonly isPermanent: boolean };

export type Acting = {
  readonly object: ManagedObject;
  readonly live: KubeObject | undefined;
  readonly memory: ObjectMemory;
  readonly parts: PlatformParts;
  readonly tools: Tools;
  readonly key: string;
};

export type Acted = { readonly kept: Kept; readonly ending: Ending };

/** A failure takes no token, and never counts as a fight. */
export function failed(outcome: Outcome, { parts, memory, key, live }: Acting): Acted {
  parts.memory.set(key, { ...memory, wasThere: live !== undefined || memory.wasThere });
  const message = "message" in outcome ? outcome.message : outcome.kind;
  if (outcome.kind === "stale") {
    const verdict = { kind: "held", reason: "Stale", message: "it changed while we looked at it" } as const;
    return { kept: { kind: "verdict", verdict }, ending: { kind: "failed" } }; // what is new is seen next time
  }
  if (outcome.kind === "rejected") {
    const ending = { kind: "again", atMs: parts.clock.wall() + permanentMs } as const;
    return { kept: { kind: "failed", message, isPermanent: true }, ending };
  }
  const retry =
    outcome.kind === "unavailable" && outcome.retryInMs !== undefined ? { retryInMs: outcome.retryInMs } : {};
  return { kept: { kind: "failed", message, isPermanent: false }, ending: { kind: "failed", ...retry } };
}
