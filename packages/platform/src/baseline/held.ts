// An object that nothing is written to because of what people say about it: why, and what others did to it meanwhile.

import type { KubeObject } from "@virt/api";
import { type Change, equalJson } from "@virt/engine";
import { blame, describeOpponents } from "./blame.ts";
import { compare } from "./compare.ts";
import { intend, invalidPatch } from "./intent.ts";
import type { ObjectSeen } from "./object-seen.ts";
import type { Overrides } from "./overrides.ts";
import type { State } from "./state.ts";
import type { Held } from "./verdict.ts";

type Holding = {
  readonly seen: ObjectSeen;
  readonly live: KubeObject;
  readonly overrides: Overrides;
  readonly state: State;
};

export function hold(why: Held, holding: Holding): Held {
  const { live, seen } = holding;
  const changes = changesMeanwhile(holding);
  return { ...why, changes, opponents: describeOpponents(blame(changes, live, seen.memory.answer)) };
}

/** What the server said about this very intent, while nothing is likely to make it say something else. */
export function refusalOf(intent: KubeObject, seen: ObjectSeen): Held | undefined {
  const { memory, now, shapeOf } = seen;
  const { refused } = memory;
  if (refused === undefined || refused.shapeOf !== shapeOf || !equalJson(refused.intent, intent)) return undefined;
  const inMs = refused.askAgainAt - now;
  return inMs <= 0 ? undefined : { ...invalidPatch(seen, `rejected by the API server: ${refused.message}`), inMs };
}

/** Against what was sent last; nobody knows that after a start, when it is what we would send if people said nothing. */
function changesMeanwhile({ seen, live, overrides, state }: Holding): readonly Change[] {
  const { memory, shapeOf } = seen;
  const plain = { ...overrides, patch: undefined, ignoreFields: undefined };
  const unsaid = memory.sent === undefined ? intend(seen, plain, state) : undefined;
  const intent = unsaid?.kind === "intended" ? unsaid.object : memory.sent;
  const found = intent === undefined ? undefined : compare({ intent, live, memory, shapeOf });
  return found?.kind === "drift" ? found.changes : [];
}
