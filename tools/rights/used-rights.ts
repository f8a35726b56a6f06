// Which rights an account made use of, from the audit log of an API server.

import type { AuditEvent } from "@virt/testkit";

/** As the authorizer was asked for it; without a name, for all objects of the kind. */
export type UsedRight = {
  readonly account: string;
  readonly verb: string;
  readonly group: string;
  /** With its subresource. */
  readonly resource: string;
  readonly name?: string;
};

/** Tests leave what the operators used here, one file for each cluster. */
export const usedRightsFolder = ".make/used-rights";

/** The operator's own requests: tests speak with its token too, but not in its name. */
export function isOperators({ userAgent = "" }: AuditEvent): boolean {
  return userAgent.startsWith("virt-operator/");
}

export function usedRights(events: readonly AuditEvent[], accounts: readonly string[]): readonly UsedRight[] {
  const used = events
    .filter((event) => isOperators(event) && accounts.includes(event.user.username) && !isRefused(event))
    .flatMap(rightsOf);
  const distinct = new Map(used.map((right) => [JSON.stringify(right), right]));
  return [...distinct].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, right]) => right);
}

export function isRefused({ responseStatus }: AuditEvent): boolean {
  return responseStatus?.code === 403;
}

/** An apply of what is not there asks for the right to create it as well. */
function rightsOf({ user, verb, objectRef, responseStatus }: AuditEvent): readonly UsedRight[] {
  if (objectRef?.resource === undefined) return [];
  const { apiGroup: group = "", resource, subresource, name } = objectRef;
  const on = {
    account: user.username,
    group,
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    ...(name !== undefined && { name }),
  };
  const isCreation = verb === "patch" && responseStatus?.code === 201;
  return [{ ...on, verb }, ...(isCreation ? [{ ...on, verb: "create" }] : [])];
}
