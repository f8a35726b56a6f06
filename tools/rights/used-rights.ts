import type { AuditEvent } from "@virt/testkit";

/** A permission as the authorizer sees it. Without a name, it is for all objects of the kind. */
export type UsedRight = {
  readonly account: string;
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly name?: string;
};

/** Tests write one file per cluster with the operators' used permissions to this folder. */
export const usedRightsFolder = ".make/used-rights";

/** Reports whether the operator sent the request. Tests may use the operator's token, too. */
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

/** Returns the permissions that a request used. Applying an object that does not exist also requires permission to create it. */
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
