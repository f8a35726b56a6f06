// What the API server writes down about requests: metadata of all, bodies of what our controllers and their leases depend on.

import { closeSync, fstatSync, openSync, readSync } from "node:fs";

const ownNamespaces = ["virt-advisor-operator-system", "virt-platform-operator-system"];

const writeVerbs = ["create", "update", "patch", "delete", "deletecollection"];

export const auditPolicy = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived"],
  rules: [
    // Their bodies are tokens.
    { level: "Metadata", resources: [{ group: "authentication.k8s.io", resources: ["tokenreviews"] }] },
    {
      level: "RequestResponse",
      userGroups: ownNamespaces.map((namespace) => `system:serviceaccounts:${namespace}`),
      verbs: writeVerbs,
      omitManagedFields: false,
    },
    // Whoever writes them: a person's edit is an approval, another replica's renewal is a loss of the lease.
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

/** One request, as far as tests ask for it. */
export type AuditEvent = {
  readonly stage: string;
  readonly verb: string;
  readonly requestURI: string;
  /** RFC 3339, with microseconds. */
  readonly requestReceivedTimestamp: string;
  /** When the answer was complete, if the stage is ResponseComplete. */
  readonly stageTimestamp?: string;
  readonly userAgent?: string;
  readonly user: { readonly username: string; readonly groups?: readonly string[] };
  /** Whose rights count, where `user` acts for somebody else. */
  readonly impersonatedUser?: { readonly username: string; readonly groups?: readonly string[] };
  /** What the request is about; absent for paths that are no resource. */
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

/** `message` and `causes` are those of the Status that came instead of an object. */
type AuditedStatus = {
  readonly code?: number;
  readonly message?: string;
  readonly details?: { readonly causes?: readonly { readonly reason?: string; readonly field?: string }[] };
};

/** Where somebody's part of a log begins: bytes of it are older, and so are requests that came in before. */
export type AuditStart = { readonly bytes: number; readonly ms: number };

export function readAuditLog(file: string, { bytes, ms }: AuditStart = { bytes: 0, ms: 0 }): readonly AuditEvent[] {
  const lines = readFrom(file, bytes).split("\n");
  // The last piece is empty, or a line that is being written.
  const events = lines.slice(0, -1).map((line) => JSON.parse(line) as AuditEvent);
  return ms === 0 ? events : events.filter((event) => Date.parse(event.requestReceivedTimestamp) >= ms);
}

/** A log is as long as all that was done in its cluster. */
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
