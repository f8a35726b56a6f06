// Builds coordination.k8s.io/v1 Leases and the requests to claim, renew and release them.

import type { Json } from "@virt/objects";
import type { ApiAnswer, ApiWriter, FailedRequest } from "../client/api-client.ts";
import { type WriteResult, writeResultOf } from "../client/outcome.ts";
import { createObject, getObject, type Resource, replaceObject, type WriteRequest } from "../client/request.ts";
import { microTime } from "../clock.ts";
import type { LeaseAnswer } from "./elector.ts";
import type { LeaseApi } from "./leader-election.ts";

type LeaseSpec = {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
};

/**
 * Updates must send all fields back, above all the uid. Without the uid, an update re-creates a deleted lease despite
 * its resourceVersion (observed: 201). With it, the server returns 409.
 */
export type LeaseObject = {
  readonly apiVersion: "coordination.k8s.io/v1";
  readonly kind: "Lease";
  readonly metadata: { readonly name: string; readonly namespace: string; readonly resourceVersion?: string };
  readonly spec?: LeaseSpec;
};

/** `identity` must be unique per process, because a restarted process is a different candidate. */
export type Candidate = {
  readonly name: string;
  readonly namespace: string;
  readonly identity: string;
  readonly durationSeconds: number;
};

/** Returns an empty string if the lease was released. */
export function holderOf(lease: LeaseObject): string {
  return lease.spec?.holderIdentity ?? "";
}

export function newLease(me: Candidate, wallMs: number): LeaseObject {
  const metadata = { name: me.name, namespace: me.namespace };
  const spec = { ...held(me, wallMs), acquireTime: microTime(wallMs), leaseTransitions: 0 };
  return { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec };
}

/** Counts a transition if it claims a free lease. */
export function heldLease(lease: LeaseObject, me: Candidate, wallMs: number): LeaseObject {
  const transitions = lease.spec?.leaseTransitions ?? 0;
  const taken =
    holderOf(lease) === me.identity ? {} : { acquireTime: microTime(wallMs), leaseTransitions: transitions + 1 };
  return { ...lease, spec: { ...lease.spec, ...held(me, wallMs), ...taken } };
}

/** Sets a duration of 1 s, which frees the lease for clients that ignore its holder. */
export function releasedLease(lease: LeaseObject, wallMs: number): LeaseObject {
  const now = microTime(wallMs);
  const spec = { ...lease.spec, holderIdentity: "", leaseDurationSeconds: 1, acquireTime: now, renewTime: now };
  return { ...lease, spec };
}

function held({ identity, durationSeconds }: Candidate, wallMs: number): LeaseSpec {
  return { holderIdentity: identity, leaseDurationSeconds: durationSeconds, renewTime: microTime(wallMs) };
}

const leases: Resource = { group: "coordination.k8s.io", version: "v1", plural: "leases", isNamespaced: true };

export function leaseClient(client: ApiWriter, place: { readonly namespace: string; readonly name: string }): LeaseApi {
  const { namespace } = place;
  const write = (request: WriteRequest, signal: AbortSignal) => client.write(request, { signal, pool: "lease" });
  return {
    read: async (signal) => answerOf(await client.send(getObject(leases, place), { signal, pool: "lease" }), "found"),
    create: async (lease, signal) =>
      answerOf(await write(createObject(leases, { namespace }, json(lease)), signal), "written"),
    update: async (lease, signal) =>
      answerOf(await write(replaceObject(leases, place, json(lease)), signal), "written"),
  };
}

function json(lease: LeaseObject): Json {
  return lease;
}

function answerOf(answer: ApiAnswer | FailedRequest, success: "found" | "written"): LeaseAnswer {
  const writing = writeResultOf(answer);
  switch (writing.kind) {
    case "done":
      return { kind: success, lease: writing.live as unknown as LeaseObject };
    case "absent":
    case "missing":
      return success === "found" && writing.kind === "absent"
        ? { kind: "absent" }
        : { kind: "failed", message: whatIsMissing(writing) };
    case "stale":
    case "conflict":
      return { kind: "conflict" };
    case "rejected":
    case "unavailable":
      return { kind: "failed", message: writing.message };
  }
}

function whatIsMissing(writing: WriteResult & { kind: "absent" | "missing" }): string {
  return writing.kind === "missing" && writing.what === "namespace"
    ? "the lease's namespace does not exist"
    : "the lease is gone";
}
