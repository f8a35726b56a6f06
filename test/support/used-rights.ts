// Saves the operators' authorized requests for `make check-rights`.

import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AuditEvent, inRepository } from "@virt/testkit";
import { policyDenials } from "../../tools/rights/policy-denials.ts";
import { isOperators, isRefused, usedRights, usedRightsFolder } from "../../tools/rights/used-rights.ts";
import { accountName } from "./account.ts";

const accounts = [accountName("advisor"), accountName("platform")];

export function recordUsedRights(audit: readonly AuditEvent[]): void {
  const folder = inRepository(usedRightsFolder);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${randomUUID()}.json`), `${JSON.stringify(usedRights(audit, accounts))}\n`);
}

/** Reports whether an operator sent the request. Tests can use its token too. */
function isTheirs(event: AuditEvent): boolean {
  return isOperators(event) && accounts.includes(event.user.username);
}

export function deniedWrites(audit: readonly AuditEvent[]): readonly string[] {
  return policyDenials(audit.filter(isTheirs));
}

/** Returns the operators' requests that were denied by missing rights or by a policy, not by a webhook. */
export function refusedRequests(audit: readonly AuditEvent[]): readonly string[] {
  const refused = audit.filter((event) => isTheirs(event) && isRefused(event) && !isByWebhook(event));
  const texts = refused.map(({ verb, requestURI, responseStatus }) =>
    [`${verb} ${requestURI}`, responseStatus?.message ?? []].flat().join(": "),
  );
  return [...new Set(texts)];
}

function isByWebhook({ responseStatus }: AuditEvent): boolean {
  return responseStatus?.message?.startsWith("admission webhook ") === true;
}
