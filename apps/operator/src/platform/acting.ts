// What is done with one object in a pass, and what became of it.

import type { KubeObject } from "@virt/api";
import type { Clock, Ending, Tools, Writing } from "@virt/kube";
import type { Apply, ManagedObject, ObjectMemory, ObjectSeen, Verdict } from "@virt/platform";
import type { PlatformParts } from "./parts.ts";
import { whyNot } from "./why-not.ts";

/** After this time what was refused is tried again. */
export const permanentMs = 300_000;

/** What became of an object in a pass; the report is made of it. */
export type Kept =
  | { readonly kind: "excluded" }
  | { readonly kind: "verdict"; readonly verdict: Verdict }
  | { readonly kind: "applied"; readonly apply: Apply; readonly live: KubeObject }
  | { readonly kind: "paused-now"; readonly verdict: Extract<Verdict, { kind: "pause" }> }
  | { readonly kind: "failed"; readonly message: string; readonly isPermanent: boolean };

export type Acting = {
  readonly object: ManagedObject;
  /** What it was judged by. */
  readonly seen: ObjectSeen;
  readonly live: KubeObject | undefined;
  readonly memory: ObjectMemory;
  readonly parts: PlatformParts;
  readonly tools: Tools;
  readonly key: string;
};

export type Acted = { readonly kept: Kept; readonly ending: Ending };

/** A failure takes no token, and never counts as a fight. What is new on an object that changed is seen next time. */
export function failed(writing: Writing, { parts, object }: Acting, what = ""): Acted {
  const message = `${what}${whyNot(writing, object.ref)}`;
  const kept = { kind: "failed", message, isPermanent: writing.kind === "rejected" } as const;
  return { kept, ending: endingAfter(writing, parts.clock) };
}

/** When it is tried again. */
export function endingAfter(writing: Writing, clock: Pick<Clock, "wall">): Ending {
  if (writing.kind === "rejected") return { kind: "again", atMs: clock.wall() + permanentMs };
  const isTold = writing.kind === "unavailable" && writing.retryInMs !== undefined;
  return { kind: "failed", ...(isTold && { retryInMs: writing.retryInMs }) };
}
