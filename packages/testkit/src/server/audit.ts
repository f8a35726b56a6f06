// The audit policy and the reader of audit logs.

import { closeSync, fstatSync, openSync, readSync } from "node:fs";

const ownNamespaces = ["virt-advisor-operator-system", "virt-platform-operator-system"];

const writeVerbs = ["create", "update", "patch", "delete", "deletecollection"];

export const auditPolicy = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived"],
  rules: [
    // TokenReview bodies contain tokens.
    { level: "Metadata", resources: [{ group: "authentication.k8s.io", resources: ["tokenreviews"] }] },
    {
      level: "RequestResponse",
      userGroups: ownNamespaces.map((namespace) => `system:serviceaccounts:${namespace}`),
      verbs: writeVerbs,
      omitManagedFields: false,
    },
    // Logs requests by all users, because an edit may be an approval, and the lease may go to another replica.
    {
      level: "RequestResponse",
      verbs: writeVerbs,
      resources: [
        { group: "advisor.kubevirt.io", resources: ["virtplatformconfigs", "virtplatformconfigs/status"] },
        { group: "coordination.k8s.io", resources: ["leases"] },
      ],
    },
    { level: "Metadata" },
  ],
};

/** An event of the API server's audit log. */
export type AuditEvent = {
  readonly stage: string;
  readonly verb: string;
  readonly requestURI: string;
  /** RFC 3339 with microseconds. */
  readonly requestReceivedTimestamp: string;
  /** The end of the response, if the stage is ResponseComplete. */
  readonly stageTimestamp?: string;
  readonly userAgent?: string;
  readonly user: { readonly username: string; readonly groups?: readonly string[] };
  /** Set if `user` impersonates another user. */
  readonly impersonatedUser?: { readonly username: string; readonly groups?: readonly string[] };
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: AuditedStatus;
  readonly requestObject?: unknown;
  readonly responseObject?: unknown;
};

/** From the Status of a failed request. */
type AuditedStatus = {
  readonly code?: number;
  readonly message?: string;
  readonly details?: { readonly causes?: readonly { readonly reason?: string; readonly field?: string }[] };
};

/** Skips earlier bytes and requests received before `ms`. */
export type AuditStart = { readonly bytes: number; readonly ms: number };

export function readAuditLog(file: string, { bytes, ms }: AuditStart = { bytes: 0, ms: 0 }): readonly AuditEvent[] {
  const lines = readFrom(file, bytes).split("\n");
  // The last part is empty or an incomplete line.
  const events = lines.slice(0, -1).map((line) => JSON.parse(line) as AuditEvent);
  return ms === 0 ? events : events.filter((event) => Date.parse(event.requestReceivedTimestamp) >= ms);
}

/** Reads from an offset, because a pooled server's log grows long. */
function readFrom(file: string, bytes: number): string {
  const log = openSync(file, "r");
  try {
    const rest = Buffer.alloc(Math.max(0, fstatSync(log).size - bytes));
    const read = readSync(log, rest, 0, rest.length, bytes);
    return rest.toString("utf8", 0, read);
  } finally {
    closeSync(log);
  }
}
