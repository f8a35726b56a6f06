// In which order migrations were asked for. Their creation cannot tell: it is in real seconds, and those must not change a history.

import { compareUtf8, type KubeObject } from "@virt/engine";
import { byAge, titleOf } from "./evictions.ts";
import { faultPrefix, type World } from "./world.ts";

const turn = `${faultPrefix}turn`;

/** The mark of a migration that is asked for in this round: later rounds have greater numbers. */
export function nextTurn(world: World): Readonly<Record<string, string>> {
  const turns = world.of("VirtualMachineInstanceMigration").map(turnOf);
  return { [turn]: `${Math.max(0, ...turns) + 1}` };
}

/** Those that somebody else asked for come first, the oldest of them before the others. */
export function byTurn(left: KubeObject, right: KubeObject): number {
  const order = turnOf(left) - turnOf(right);
  if (order !== 0) return order;
  return turnOf(left) === 0 ? byAge(left, right) : compareUtf8(titleOf(left), titleOf(right));
}

function turnOf({ metadata }: KubeObject): number {
  return Number(metadata.annotations?.[turn]) || 0;
}
