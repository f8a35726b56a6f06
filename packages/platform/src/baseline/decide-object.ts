import { autopilotName, fieldManagers, type KubeObject, managedByLabel } from "@virt/api";
import {
  appliedBy,
  type Change,
  decideEditWar,
  describeOpponent,
  type EditWarRecord,
  editWarKey,
  isNoFields,
  type Path,
  platformRule,
  readOwners,
  recordCorrection,
  sha256,
  takeToken,
  valueAt,
  writePath,
  writeTime,
} from "@virt/objects";
import { compareObject, describeOpponents, findBlamedManagers } from "./compare.ts";
import type { AdoptedField, ApplyDecision, ObjectDecision } from "./decision.ts";
import { membersOfEmptiedMaps } from "./emptied-maps.ts";
import { holdObject, rejectionOf } from "./held.ts";
import { buildIntent, fieldsByAsset, type IntendedObject } from "./intent.ts";
import { type Mutation, mutationOf } from "./mutation.ts";
import type { ObservedObject } from "./observe-object.ts";
import { type Overrides, readOverrides } from "./overrides.ts";
import { releaseFields } from "./release.ts";
import { type ObjectState, readState, recreations, restAfter, storeState, writeState } from "./state.ts";

/** Allows a burst of 10 writes, then one write every 6 s. The limit only delays writes. */
export const writeRate = { capacity: 10, refillMs: 6_000 };

/** Decides the next action for an object from the observation alone. example.test.ts shows a complete run. */
export function decideObject(observed: ObservedObject): ObjectDecision {
  const { live } = observed;
  const overrides = readOverrides(live);
  const state = readState(live);
  if (live === undefined) return create(observed, overrides, state);
  const hands = handsOff(live, overrides, { state, observed });
  if (hands !== undefined) return hands;
  const known = knownState(state, observed);
  const holding = { seen: observed, live, overrides, state: known };
  const [mistake] = overrides.mistakes;
  if (mistake !== undefined)
    return holdObject({ kind: "held", reason: mistake.reason, message: mistake.message }, holding);
  if (observed.memory.unwrittenPause !== undefined) return pause(observed, state, observed.memory.unwrittenPause);
  const intended = buildIntent(observed, overrides, known);
  if (intended.kind === "held") return holdObject(intended, holding);
  const refusal = rejectionOf(intended.object, observed);
  if (refusal !== undefined) return holdObject(refusal, holding);
  if (observed.adoption === "whole" && intended.contested.length > 0)
    return { kind: "contested", contested: intended.contested };
  return compared({ seen: observed, live, state: known, intended, overrides });
}

/** Returns the state, with the edit war history from memory, so that removing the state annotation does not end an edit war. */
function knownState(state: ObjectState, { live, memory: { answer } }: ObservedObject): ObjectState {
  if (state.paused !== undefined) return { ...state, paused: undefined, fights: {} }; // a user ended the pause
  const before = answer?.metadata.uid === live?.metadata.uid ? readState(answer) : undefined;
  if (before === undefined || before.paused !== undefined) return state;
  const inputWrite = state.inputWrite ?? before.inputWrite;
  return { ...state, inputWrite, fights: joinFights(before.fights, state.fights) };
}

function joinFights(before: EditWarRecord, now: EditWarRecord): EditWarRecord {
  const longer = Object.entries(before).filter(([key, times]) => times.length > (now[key]?.length ?? 0));
  return { ...now, ...Object.fromEntries(longer) };
}

type Handled = { readonly state: ObjectState; readonly observed: ObservedObject };

function handsOff(live: KubeObject, overrides: Overrides, { state, observed }: Handled): ObjectDecision | undefined {
  const label = live.metadata.labels?.[managedByLabel.key];
  const isStranger = label !== undefined && label !== managedByLabel.value;
  const isOurs = overrides.isAdopted || overrides.isGoverned || isShared(label, observed);
  if (isStranger && !isOurs && (label === autopilotName || ownsNothing(live)))
    return { kind: "managed-by-other", by: label };
  if (overrides.isUnmanaged) return { kind: "unmanaged" };
  if (overrides.isPaused) return { kind: "paused", reason: state.paused === undefined ? "manual" : "edit-war" };
  return undefined;
}

function create(observed: ObservedObject, overrides: Overrides, state: ObjectState): ObjectDecision {
  if (!observed.mayCreate) return { kind: "not-there" };
  const recreated = recreations(observed.memory, observed.now);
  const inMs = observed.memory.wasThere ? restAfter(recreated, observed.now) : undefined;
  if (inMs !== undefined) return { kind: "deletion-fight", inMs, count: recreated.length };
  const intended = buildIntent(observed, overrides, state);
  if (intended.kind === "held") return intended;
  const undone = observed.memory.wasThere ? [...recreated, observed.now] : recreated;
  const withMemory = { ...state, created: true, fields: fieldsByAsset(observed, intended.object), recreated: undone };
  return spend(observed, {
    cause: "create",
    object: storeState(intended.object, withMemory),
    intent: intended.object,
    handOver: [],
    removals: [],
    contested: [],
    changes: [],
    opponents: [],
    done: { patched: 0, released: [], adopted: [], isResumed: false },
  });
}

/** Reports whether the active autopilot manages its own fields of the object, and the operator the others. */
function isShared(label: string | undefined, { adoption, isAutopilotActive }: ObservedObject): boolean {
  return label === autopilotName && adoption === "fieldwise" && isAutopilotActive === true;
}

function ownsNothing(live: KubeObject): boolean {
  return isNoFields(appliedBy(readOwners(live), fieldManagers.platform));
}

type Knowing = {
  readonly seen: ObservedObject;
  readonly live: KubeObject;
  readonly state: ObjectState;
  readonly intended: Extract<IntendedObject, { kind: "intended" }>;
  readonly overrides: Overrides;
};

function compared(knowing: Knowing): ObjectDecision {
  const { seen, live, intended } = knowing;
  const { shapeOf, memory } = seen;
  const found = compareObject({ intent: intended.object, live, memory, shapeOf });
  if (found.kind === "ask") return apply(knowing, []);
  const mutation = mutationOf(intended.object, seen);
  const drift = found.kind === "drift" ? found.changes.filter(({ path }) => !isMutated(path, mutation)) : [];
  if (drift.length > 0) return correct(knowing, drift);
  if (mutation === undefined) return { kind: "in-sync", contested: intended.contested, intent: intended.object };
  const inMs = mutation.askAgainAt - seen.monotonicMs;
  return inMs <= 0
    ? apply(knowing, [])
    : { kind: "mutated", changes: mutation.changes, contested: intended.contested, inMs };
}

/** Reports whether admission changed the field. Such a change must not count as an edit, or it would cause a pause. */
function isMutated(path: Path, mutation: Mutation | undefined): boolean {
  return mutation?.changes.some((change) => writePath(change.path) === writePath(path)) === true;
}

/** Corrects drift and counts it against its managers. An edit war pauses the object. */
function correct(knowing: Knowing, changes: readonly Change[]): ObjectDecision {
  const { seen, live, state } = knowing;
  const keys = findBlamedManagers(changes, live, seen.memory.answer);
  const texts = keys.map(({ path, opponent }) => editWarKey(path, opponent));
  const at = { rule: platformRule, now: seen.now };
  const ruling = decideEditWar(state.fights, texts, at);
  if (ruling.kind === "wait") return { kind: "wait", why: "fight", inMs: ruling.inMs };
  if (ruling.kind === "fight") {
    const lost = keys[texts.indexOf(ruling.key)];
    const field = lost === undefined ? ruling.key : writePath(lost.path);
    const by = lost === undefined ? "unknown" : describeOpponent(lost.opponent);
    return pause(seen, state, { field, by, count: ruling.count, at: writeTime(seen.now) });
  }
  const fights = recordCorrection(state.fights, texts, at);
  return apply({ ...knowing, state: { ...state, fights } }, changes, describeOpponents(keys));
}

function pause(
  { memory, monotonicMs }: ObservedObject,
  state: ObjectState,
  paused: NonNullable<ObjectState["paused"]>,
): ObjectDecision {
  const { granted, bucket, retryInMs } = takeToken(memory.bucket, writeRate, monotonicMs);
  if (!granted) return { kind: "wait", why: "throttled", inMs: retryInMs };
  return { kind: "pause", paused, state: writeState({ ...state, paused }), bucket };
}

function apply(knowing: Knowing, changes: readonly Change[], opponents: readonly string[] = []): ObjectDecision {
  const { seen, live, state, intended, overrides } = knowing;
  const { handOver, released } = releaseFields({
    live,
    intent: intended.object,
    state,
    active: seen.parts.map(({ asset }) => asset),
    pruned: seen.pruned,
    masked: intended.masked,
    shapeOf: seen.shapeOf,
  });
  const patch = overrides.patch === undefined ? undefined : sha256(overrides.patch).slice(0, 12);
  const memory: ObjectState = {
    ...state,
    fields: fieldsByAsset(seen, intended.object),
    released: intended.ignored,
    patch,
  };
  return spend(seen, {
    cause: changes.length > 0 ? "drift" : "intent",
    object: storeState(intended.object, memory),
    intent: intended.object,
    ...unpatched(knowing),
    handOver,
    removals: membersOfEmptiedMaps({ live, intent: intended.object, handOver, shapeOf: seen.shapeOf }),
    contested: intended.contested,
    changes,
    opponents,
    done: {
      patched: patch === state.patch ? 0 : intended.patchOperations,
      released,
      adopted: intended.adopted.map(({ path, managers }) => adoptedField(path, managers, knowing)),
      isResumed: readState(live).paused !== undefined,
    },
  });
}

function adoptedField(path: Path, managers: readonly string[], { live, intended }: Knowing): AdoptedField {
  const [there, wanted] = [valueAt(live, path), valueAt(intended.object, path)];
  return {
    path,
    managers,
    ...(there !== undefined && { live: there }),
    ...(wanted !== undefined && { desired: wanted }),
  };
}

/** Returns the intent without the user's patch, to find out whether the patch causes a rejection. */
function unpatched({ seen, live, state, overrides }: Knowing): Pick<ApplyDecision, "unpatched"> {
  if (overrides.patch === undefined) return {};
  const intended = buildIntent(seen, { ...overrides, patch: undefined }, state);
  if (intended.kind === "held") return {};
  const { object: intent } = intended;
  return {
    unpatched: { intent, removals: membersOfEmptiedMaps({ live, intent, handOver: [], shapeOf: seen.shapeOf }) },
  };
}

function spend({ memory, monotonicMs }: ObservedObject, due: ApplyDecision): ObjectDecision {
  const tokens = 1 + [due.handOver, due.removals].filter((paths) => paths.length > 0).length; // one per write
  const { granted, bucket, retryInMs } = takeToken(memory.bucket, { ...writeRate, tokens }, monotonicMs);
  if (!granted) return { kind: "wait", why: "throttled", inMs: retryInMs };
  return { kind: "apply", apply: due, bucket, skipsDryRun: due.cause === "create" };
}
