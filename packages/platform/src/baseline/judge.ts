// Decides what is to be done with one object. No I/O, no clock, no mutation.

import { fieldManagers, type KubeObject, managedByLabel } from "@virt/api";
import {
  appliedBy,
  type Change,
  describeOpponent,
  type Fights,
  fightKey,
  isNoFields,
  judgeFight,
  platformRule,
  readOwners,
  recordCorrection,
  sha256,
  take,
  writePath,
  writeTime,
} from "@virt/engine";
import { blame, describeOpponents } from "./blame.ts";
import { compare } from "./compare.ts";
import { hold, refusalOf } from "./held.ts";
import { fieldsByAsset, type Intended, intend } from "./intent.ts";
import { objectAnnotations } from "./names.ts";
import type { ObjectSeen } from "./object-seen.ts";
import { type Overrides, readOverrides } from "./overrides.ts";
import { recreations, restAfter } from "./recreations.ts";
import { letGoOf } from "./release.ts";
import { readState, type State, writeState } from "./state.ts";
import type { Apply, Verdict } from "./verdict.ts";

/** One token back every 6 s, ten at most. It delays, and never pauses. */
export const writeRate = { capacity: 10, refillMs: 6_000 };

export function judge(seen: ObjectSeen): Verdict {
  const { live } = seen;
  const overrides = readOverrides(live);
  const state = readState(live);
  if (live === undefined) return create(seen, overrides, state);
  const hands = handsOff(live, overrides, state);
  if (hands !== undefined) return hands;
  if (seen.memory.unwrittenPause !== undefined) return pause(seen, state, seen.memory.unwrittenPause);
  const known = knownState(state, seen);
  const intended = intend(seen, overrides, known);
  const holding = { seen, live, overrides, state: known };
  if (intended.kind === "held") return hold(intended, holding);
  const refusal = refusalOf(intended.object, seen);
  if (refusal !== undefined) return hold(refusal, holding);
  if (seen.adoption === "whole" && intended.contested.length > 0)
    return { kind: "contested", contested: intended.contested };
  return compared({ seen, live, state: known, intended, overrides });
}

/** Whoever takes our memory off the object does not make us forget the fight. */
function knownState(state: State, { live, memory: { answer } }: ObjectSeen): State {
  if (state.paused !== undefined) return { ...state, paused: undefined, fights: {} }; // a person resumed it
  const before = answer?.metadata.uid === live?.metadata.uid ? readState(answer) : undefined;
  if (before === undefined || before.paused !== undefined) return state;
  return { ...state, fights: joinFights(before.fights, state.fights) };
}

function joinFights(before: Fights, now: Fights): Fights {
  const longer = Object.entries(before).filter(([key, times]) => times.length > (now[key]?.length ?? 0));
  return { ...now, ...Object.fromEntries(longer) };
}

function handsOff(live: KubeObject, overrides: Overrides, state: State): Verdict | undefined {
  const label = live.metadata.labels?.[managedByLabel.key];
  const isStranger = label !== undefined && label !== managedByLabel.value;
  if (isStranger && !overrides.isAdopted && isNoFields(appliedBy(readOwners(live), fieldManagers.platform)))
    return { kind: "managed-by-other", by: label };
  if (overrides.mode === "unmanaged") return { kind: "unmanaged" };
  if (overrides.isPaused) return { kind: "paused", reason: state.paused === undefined ? "manual" : "edit-war" };
  return undefined;
}

function create(seen: ObjectSeen, overrides: Overrides, state: State): Verdict {
  if (!seen.mayCreate) return { kind: "not-there" };
  const recreated = recreations(seen.memory, seen.now);
  const inMs = seen.memory.wasThere ? restAfter(recreated, seen.now) : undefined;
  if (inMs !== undefined) return { kind: "deletion-fight", inMs, count: recreated.length };
  const intended = intend(seen, overrides, state);
  if (intended.kind === "held") return intended;
  const undone = seen.memory.wasThere ? [...recreated, seen.now] : recreated;
  const withMemory = { ...state, created: true, fields: fieldsByAsset(seen, intended.object), recreated: undone };
  return spend(seen, {
    cause: "create",
    object: remembering(intended.object, withMemory),
    intent: intended.object,
    handOver: [],
    contested: [],
    changes: [],
    opponents: [],
    done: { patched: 0, released: [], isResumed: false },
  });
}

type Knowing = {
  readonly seen: ObjectSeen;
  readonly live: KubeObject;
  readonly state: State;
  readonly intended: Extract<Intended, { kind: "intended" }>;
  readonly overrides: Overrides;
};

function compared(knowing: Knowing): Verdict {
  const { seen, live, intended } = knowing;
  const { shapeOf, memory } = seen;
  const found = compare({ intent: intended.object, live, memory, shapeOf });
  if (found.kind === "in-sync") return { kind: "in-sync", contested: intended.contested, intent: intended.object };
  if (found.kind === "ask") return apply(knowing, []);
  return correct(knowing, found.changes);
}

/** A drift: counted against whoever made it, and left to people when it becomes a fight. */
function correct(knowing: Knowing, changes: readonly Change[]): Verdict {
  const { seen, live, state } = knowing;
  const keys = blame(changes, live, seen.memory.answer);
  const texts = keys.map(({ path, opponent }) => fightKey(path, opponent));
  const at = { rule: platformRule, now: seen.now };
  const ruling = judgeFight(state.fights, texts, at);
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

function pause({ memory, now }: ObjectSeen, state: State, paused: NonNullable<State["paused"]>): Verdict {
  const { granted, bucket, retryInMs } = take(memory.bucket, writeRate, now);
  if (!granted) return { kind: "wait", why: "throttled", inMs: retryInMs };
  return { kind: "pause", paused, state: writeState({ ...state, paused }), bucket };
}

function apply(knowing: Knowing, changes: readonly Change[], opponents: readonly string[] = []): Verdict {
  const { seen, live, state, intended, overrides } = knowing;
  const { handOver, released } = letGoOf({
    live,
    intent: intended.object,
    state,
    active: seen.parts.map(({ asset }) => asset),
    pruned: seen.pruned,
    masked: intended.masked,
    shapeOf: seen.shapeOf,
  });
  const patch = overrides.patch === undefined ? undefined : sha256(overrides.patch).slice(0, 12);
  const memory: State = {
    ...state,
    fields: fieldsByAsset(seen, intended.object),
    released: intended.ignored,
    patch,
  };
  return spend(seen, {
    cause: changes.length > 0 ? "drift" : "intent",
    object: remembering(intended.object, memory),
    intent: intended.object,
    ...unpatched(knowing),
    handOver,
    contested: intended.contested,
    changes,
    opponents,
    done: {
      patched: patch === state.patch ? 0 : intended.patchOperations,
      released,
      isResumed: readState(live).paused !== undefined,
    },
  });
}

/** What tells whether a refusal is because of the patch. */
function unpatched({ seen, state, overrides }: Knowing): Pick<Apply, "unpatched"> {
  if (overrides.patch === undefined) return {};
  const intended = intend(seen, { ...overrides, patch: undefined }, state);
  return intended.kind === "held" ? {} : { unpatched: intended.object };
}

function spend({ memory, now }: ObjectSeen, due: Apply): Verdict {
  const tokens = due.handOver.length > 0 ? 2 : 1; // a hand-over is a write of its own
  const { granted, bucket, retryInMs } = take(memory.bucket, { ...writeRate, tokens }, now);
  if (!granted) return { kind: "wait", why: "throttled", inMs: retryInMs };
  return { kind: "apply", apply: due, bucket, skipsDryRun: due.cause === "create" };
}

function remembering(object: KubeObject, state: State): KubeObject {
  const annotations = { ...object.metadata.annotations, [objectAnnotations.state]: writeState(state) };
  return { ...object, metadata: { ...object.metadata, annotations } };
}
