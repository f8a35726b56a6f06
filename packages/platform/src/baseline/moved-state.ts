// Our memory on an object names fields as the version had them that was served then: here, as the object's own has them.

import type { KubeObject } from "@virt/api";
import { type Fights, type Move, movesTo, writePointer } from "@virt/engine";
import type { State } from "./state.ts";

/** What has no place in the other version stays as it is, and means nothing there. */
export function movedState(state: State, live: KubeObject): State {
  const moves = movesTo(live);
  if (moves.length === 0) return state;
  const fields = Object.entries(state.fields).map(
    ([asset, pointers]) => [asset, pointers.map((pointer) => movedText(pointer, moves))] as const,
  );
  return { ...state, fields: Object.fromEntries(fields), fights: movedFights(state.fights, moves) };
}

/** A fight that began in one version goes on in the other. */
function movedFights(fights: Fights, moves: readonly Move[]): Fights {
  const shortestFirst = Object.entries(fights).toSorted(([, left], [, right]) => left.length - right.length);
  return Object.fromEntries(shortestFirst.map(([key, times]) => [movedText(key, moves), times]));
}

/** A pointer, or one with something after a bar. The places in the moves have nothing to be escaped. */
function movedText(text: string, moves: readonly Move[]): string {
  for (const { from, to } of moves) {
    const start = writePointer(from);
    const rest = text.startsWith(start) ? text.slice(start.length) : undefined;
    if (to !== undefined && rest !== undefined && /^($|[/|])/.test(rest)) return `${writePointer(to)}${rest}`;
  }
  return text;
}
