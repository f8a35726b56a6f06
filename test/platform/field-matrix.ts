// Runs a matrix of cases over the fields of all managed objects: objects in parallel, cases of one object in sequence.
// Restarts the operator, which renews its write budgets, until no case is left.

import { fieldManagers, type KubeObject } from "@virt/api";
import { appliedBy, hasField, member, type Path, parseJson, readOwners } from "@virt/objects";
import { distinctTargets, type ManagedTarget } from "../support/full-cluster.ts";
import type { RunningPlatform } from "../support/running-platform.ts";

export const ownFields = (object: KubeObject) => appliedBy(readOwners(object), fieldManagers.platform);
export const isOurs = (object: KubeObject, field: Path) => hasField(ownFields(object), field);

export const objectName = ({ ref }: ManagedTarget) => `${ref.kind}/${ref.name}`;

/** Reports whether the field is the key of its list element, without which the element is a different one. */
export function isElementKey(field: Path): boolean {
  const element = field.at(-2) ?? "";
  const keys = element.startsWith("k:") ? parseJson(element.slice(2)) : undefined;
  return member(keys, field.at(-1)?.slice(2) ?? "") !== undefined;
}

export class MatrixResults {
  readonly #problems: { readonly group: string; readonly problem: string }[] = [];
  readonly tried: string[] = [];

  /** `group` is an object, or an object and an edit. */
  fail(group: string, problem: string): void {
    this.#problems.push({ group, problem });
  }

  problemsOf(group: string): readonly string[] {
    return this.#problems.filter((each) => each.group === group).map(({ problem }) => problem);
  }
}

export type MatrixOptions<Case> = {
  readonly casesOf: (target: ManagedTarget, number: number) => Promise<readonly Case[]>;
  /** Runs as many cases as the write budget of the object allows, at least one. Returns their number. */
  readonly runSome: (target: ManagedTarget, cases: readonly Case[]) => Promise<number>;
};

export async function runFieldMatrix<Case>(platform: RunningPlatform, options: MatrixOptions<Case>): Promise<void> {
  const { restart } = platform;
  const { casesOf, runSome } = options;
  let left = await Promise.all(
    distinctTargets.map(async (target, at) => ({ target, cases: await casesOf(target, at) })),
  );
  while (left.length > 0) {
    const next = left.map(async ({ target, cases }) => ({ target, cases: cases.slice(await runSome(target, cases)) }));
    left = (await Promise.all(next)).filter(({ cases }) => cases.length > 0);
    await restart();
  }
}
