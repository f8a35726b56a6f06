// Who changed a field that we had set: the manager we would fight.

import { isNoFields, subtractFields } from "./field-set.ts";
import { type Owner, ownersOf } from "./owners.ts";
import type { Path } from "./path.ts";
import { readTime } from "./time.ts";

export type Opponent = Pick<Owner, "manager" | "operation">;

export type Encounter = {
  readonly live: readonly Owner[];
  readonly answer: readonly Owner[]; // as the server's last answer to us had them
  readonly ours: readonly string[]; // our own managers, which fight nobody
};

/** The newest of those that own the field now; a removal leaves none, so then the newest that has done anything since our answer. */
export function opponentOf(path: Path, { live, answer, ours }: Encounter): Opponent | "unknown" {
  const others = live.filter(({ manager, subresource }) => subresource === undefined && !ours.includes(manager));
  return newest(ownersOf(others, path)) ?? newest(others.filter((owner) => isChanged(owner, answer))) ?? "unknown";
}

/** `"kubectl-edit" (Update)` */
export function describeOpponent(opponent: Opponent | "unknown"): string {
  return opponent === "unknown" ? opponent : `"${opponent.manager}" (${opponent.operation})`;
}

function newest(owners: readonly Owner[]): Opponent | undefined {
  const time = (owner: Owner) => readTime(owner.time ?? "") ?? Number.MIN_SAFE_INTEGER;
  const [first] = owners.toSorted((left, right) => time(right) - time(left));
  return first === undefined ? undefined : { manager: first.manager, operation: first.operation };
}

function isChanged(owner: Owner, answer: readonly Owner[]): boolean {
  const before = answer.find(
    ({ manager, operation, subresource, apiVersion }) =>
      manager === owner.manager &&
      operation === owner.operation &&
      subresource === owner.subresource &&
      apiVersion === owner.apiVersion,
  );
  if (before === undefined || before.time !== owner.time) return true;
  return (
    !isNoFields(subtractFields(owner.fields, before.fields)) || !isNoFields(subtractFields(before.fields, owner.fields))
  );
}
