// Compares granted permissions with used permissions and with the accepted exceptions.

import { type GrantedRight, rightText } from "./granted-rights.ts";
import type { UsedRight } from "./used-rights.ts";

export type Exception = { readonly right: string; readonly reason: string };

export type Comparison = {
  readonly unused: readonly string[];
  readonly needless: readonly string[];
};

export function compareRights(
  granted: readonly GrantedRight[],
  used: readonly UsedRight[],
  exceptions: readonly Exception[],
): Comparison {
  const idle = granted.filter((right) => !used.some((use) => isUse(use, right))).map(rightText);
  const excused = exceptions.map(({ right }) => right);
  return {
    unused: idle.filter((right) => !excused.includes(right)),
    needless: excused.filter((right) => !granted.some((one) => rightText(one) === right)),
  };
}

function isUse(use: UsedRight, { account, verb, group, resource, name }: GrantedRight): boolean {
  const isSame = use.account === account && use.verb === verb && use.group === group && use.resource === resource;
  return isSame && (name === undefined || use.name === name);
}
