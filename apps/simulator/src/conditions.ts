// Conditions with their times: a time moves only when the status flips.

import { asList, asText, at, type JsonMap, type KubeObject, member } from "@virt/engine";

export type Condition = {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
};

export function withTimes(object: KubeObject, wanted: readonly Condition[], wall: string): readonly JsonMap[] {
  const present = asList(at(object, "status", "conditions"));
  return wanted.map((condition) => {
    const before = present.find((each) => member(each, "type") === condition.type);
    const isSame = member(before, "status") === condition.status;
    return {
      ...condition,
      lastTransitionTime: (isSame ? asText(member(before, "lastTransitionTime")) : undefined) ?? wall,
    };
  });
}

export function conditionStatus(object: KubeObject, type: string): string | undefined {
  const found = asList(at(object, "status", "conditions")).find((each) => member(each, "type") === type);
  return asText(member(found, "status"));
}
