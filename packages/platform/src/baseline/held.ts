import { fieldManagers, type KubeObject } from "@virt/api";
import { appliedBy, type Change, equalJson, fieldSet, leafPaths, leavesOf, readOwners, valueAt } from "@virt/objects";
import { isOwnLabel, isState } from "../hco-annotations.ts";
import { compareObject, describeOpponents, findBlamedManagers, isHeldBy, isMet } from "./compare.ts";
import type { HeldDecision } from "./decision.ts";
import { buildIntent, invalidPatch } from "./intent.ts";
import type { ObservedObject } from "./observe-object.ts";
import { type Overrides, readOverrides } from "./overrides.ts";
import { type ObjectState, readState } from "./state.ts";

type Holding = {
  readonly seen: ObservedObject;
  readonly live: KubeObject;
  readonly overrides: Overrides;
  readonly state: ObjectState;
};

export function holdObject(why: HeldDecision, holding: Holding): HeldDecision {
  const { live, seen } = holding;
  const changes = changesMeanwhile(holding);
  return { ...why, changes, opponents: describeOpponents(findBlamedManagers(changes, live, seen.memory.answer)) };
}

/** Returns the server's rejection of this intent, until it is time to retry. */
export function rejectionOf(intent: KubeObject, observed: ObservedObject): HeldDecision | undefined {
  const { memory, monotonicMs, shapeOf } = observed;
  const { refused } = memory;
  if (refused === undefined || refused.shapeOf !== shapeOf || !equalJson(refused.intent, intent)) return undefined;
  const inMs = refused.askAgainAt - monotonicMs;
  return inMs <= 0 ? undefined : { ...invalidPatch(observed, `rejected by the API server: ${refused.message}`), inMs };
}

/** Compares with the last sent intent. After a start, compares with the intent without the user's overrides. */
function changesMeanwhile({ seen, live, overrides, state }: Holding): readonly Change[] {
  const { memory, shapeOf } = seen;
  const plain = { ...overrides, patch: undefined, ignoreFields: undefined };
  const unsaid = memory.sent === undefined ? buildIntent(seen, plain, state) : undefined;
  const intent = unsaid?.kind === "intended" ? unsaid.object : memory.sent;
  const found = intent === undefined ? undefined : compareObject({ intent, live, memory, shapeOf });
  return found?.kind === "drift" ? found.changes : [];
}

/** Reports whether the object matches its intent. False while an invalid annotation holds it: the intent is unknown. */
export function isAsWanted(observed: ObservedObject): boolean {
  const { live, shapeOf } = observed;
  const overrides = readOverrides(live);
  if (live === undefined || overrides.isUnmanaged || overrides.isPaused || overrides.mistakes.length > 0) return false;
  const intended = buildIntent(observed, overrides, readState(live));
  if (intended.kind === "held" || intended.contested.length > 0) return false;
  const wanted = leafPaths(intended.object, shapeOf);
  const isThere = wanted.every(
    (path) =>
      isOwnLabel(path) || isMet({ path, wanted: valueAt(intended.object, path), there: valueAt(live, path) }, shapeOf),
  );
  // Also compares owned fields that are not in the intent, because an apply would remove them.
  const fields = fieldSet(wanted);
  const owned = leavesOf(appliedBy(readOwners(live), fieldManagers.platform));
  return isThere && owned.every((path) => isState(path) || isOwnLabel(path) || isHeldBy(fields, path));
}
